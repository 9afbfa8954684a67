import { QueryPlanner } from "@graphql-hive/router-query-planner";
import { buildSchema, getIntrospectionQuery, getNamedType, isListType, isObjectType, parse, validate } from "graphql";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { checkCost } from "./cost.ts";
import { compileCost } from "./operation-cost.ts";

const schema = buildSchema(new QueryPlanner(committedSupergraph()).consumerSchema, { assumeValid: true });

function cost(query: string, variables: Readonly<Record<string, unknown>> = {}, operationName: string | null = null) {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const { rows, values } = compileCost(schema, document, operationName)(variables);
  return { rows, values };
}

const rows = (...given: Parameters<typeof cost>): number => cost(...given).rows;

const BLOCKS = 'evmBlocks(chainId: "1"';
const INTERNALS = `internalTransactions(chainId: "1", address: "0x${"1".repeat(40)}"`;

describe("the cost of an operation", () => {
  it("counts the rows of a page, ten without `first`, and the values of each row", () => {
    expect(cost(`{ ${BLOCKS}) { nextPageToken blocks: nodes { blockNumber blockHash } } }`)).toEqual({
      rows: 10,
      values: 23,
    });
    expect(cost(`{ ${BLOCKS}, first: 100) { blocks: nodes { blockNumber } } }`)).toEqual({ rows: 100, values: 102 });
  });

  it("counts a value for which a node is called as a thousand values, for each holder of a page", () => {
    const token = `erc20Token(chainId: "1", address: "0x${"1".repeat(40)}")`;
    const query = (fields: string) => `{ ${token} { holders(first: 20) { holders: nodes { address ${fields} } } } }`;
    expect(cost(query(""))).toEqual({ rows: 20, values: 1 + 1 + 1 + 20 });
    expect(cost(query("isApproximate"))).toEqual({ rows: 20, values: 23 + 20 * 1_000 });
    expect(cost(`{ ${token} { isSupplyApproximate } }`).values).toBe(1 + 1_000);
  });

  it("counts a value for which a node is called as a thousand values, for each of the chains of a wallet", () => {
    const wallet = (fields: string) => `{ wallet(address: "0x${"1".repeat(40)}") { chainId ${fields} } }`;
    expect(cost(wallet(""))).toEqual({ rows: 5, values: 1 + 5 });
    expect(cost(wallet("isContract"))).toEqual({ rows: 5, values: 1 + 5 + 5 * 1_000 });
    expect(cost(wallet("nativeBalance { balance }"))).toEqual({ rows: 5, values: 1 + 5 + 5 * (1_000 + 1) });
    const balances = (fields: string) =>
      cost(wallet(`erc20Balances(first: 2) { balances: nodes { ${fields} } }`)).values;
    expect(balances("balance isApproximate") - balances("balance")).toBe(5 * 2 * 1_000);
  });

  it("allows 20 aggregations of signatures in an operation, also for the messages of a page", () => {
    const events = (
      pageSize: number,
    ) => `icmEvents(messageId: "0x${"1".repeat(64)}", first: ${pageSize}) { events: nodes {
      signableMessage { aggregateSignatures { signedMessage } } } }`;
    const transaction = 'aggregateTransactionSignatures(network: FUJI, txHash: "x") { signedMessage }';
    expect(cost(`{ ${events(1)} }`).values).toBe(3 + 97_000 + 2);
    expect(cost(`{ ${transaction} }`).values).toBe(97_000 + 2);
    expect(checkCost(cost(`{ ${events(19)} ${transaction} }`), String)).toBeNull();
    expect(checkCost(cost(`{ ${events(21)} }`), String)).not.toBeNull();
    expect(cost('subscription { signatureProgress(network: FUJI, txHash: "x") { state } }').values).toBe(97_002);
  });

  it("multiplies page sizes along the path", () => {
    const nested = (levels: number): string =>
      levels === 0
        ? "txHash"
        : `transaction { internalTransactions(first: 100) { transactions: nodes { ${nested(levels - 1)} } } }`;
    const query = (levels: number) => `{ ${INTERNALS}, first: 100) { transactions: nodes { ${nested(levels)} } } }`;
    expect([0, 1, 2, 3].map((levels) => rows(query(levels)))).toEqual([100, 10_100, 1_010_100, 101_010_100]);
  });

  it("adds the fields of a selection, and counts aliases and fragments each time they are used", () => {
    const query = `query { a: ${BLOCKS}, first: 7) { ...P } b: ${BLOCKS}) { ...P ... on EvmBlockConnection { ...P } } }
      fragment P on EvmBlockConnection { blocks: nodes { chainId } }`;
    expect(rows(query)).toBe(27);
  });

  it("reads page sizes from variables and their defaults", () => {
    const query = `query Q($a: Int, $b: Int = 4) { ${BLOCKS}, first: $a) { blocks: nodes { transactions(first: $b) { transactions: nodes { txHash } } } } }`;
    expect(rows(query)).toBe(10 + 10 * 4);
    expect(rows(query, { a: 100, b: 50 })).toBe(100 + 100 * 50);
    expect(rows(query, { a: null, b: null })).toBe(10 + 10 * 10);
    expect(rows(query, { a: "100", b: -5 })).toBe(10 + 10);
    expect(rows(query, { a: 1e12 })).toBe(5e12);
  });

  it("applies the page size to lists inside fragments", () => {
    const query = `query ($n: Int) { ${BLOCKS}, first: $n) { ...P ... on EvmBlockConnection { blocks: nodes { chainId } } } }
      fragment P on EvmBlockConnection { b: nodes { chainId } }`;
    expect(rows(query, { n: 30 })).toBe(60);
  });

  it("expects five items of a list without pages", () => {
    const query = `{ ${BLOCKS}, first: 1) { blocks: nodes { transactions(first: 1) { transactions: nodes { deployments(first: 1) { deployments: nodes { erc20Transfers { logIndex } } } } } } } }`;
    expect(rows(query)).toBe(3 + 5);
  });

  it("counts only the named operation of a document", () => {
    const query = `query A { ${BLOCKS}) { blocks: nodes { chainId } } } query B { ${BLOCKS}, first: 50) { blocks: nodes { chainId } } }`;
    expect([rows(query, {}, "A"), rows(query, {}, "B")]).toEqual([10, 50]);
  });

  it("counts one event of a subscription", () => {
    expect(
      rows('subscription { blockAdded(chainId: "1") { transactions(first: 100) { transactions: nodes { txHash } } } }'),
    ).toBe(100);
  });

  it("allows the introspection query of tools a few times in one operation", () => {
    const all = getIntrospectionQuery();
    expect(checkCost(cost(all), String)).toBeNull();
    const aliases = ["a", "b", "c", "d", "e"].map((name) => all.replace(/^.*?__schema/s, `${name}: __schema`));
    const fields = aliases.map((text) => text.slice(0, text.indexOf("fragment")).replace(/}\s*$/, "")).join(" ");
    const fragments = all.slice(all.indexOf("fragment"));
    expect(checkCost(cost(`{ ${fields} } ${fragments}`), String)).not.toBeNull();
  });
});

describe("the limits", () => {
  it("allow pages of 100 with ordinary joins; the error names the limit and the count", () => {
    const messageOf = (query: string) => checkCost(cost(query), (count) => `this has ${count}`)?.message ?? null;
    expect(
      messageOf(
        `{ ${BLOCKS}, first: 100) { blocks: nodes { transactions(first: 100) { transactions: nodes { txHash from { name } } } } } }`,
      ),
    ).toBeNull();
    expect(
      messageOf(
        `{ ${BLOCKS}, first: 100) { blocks: nodes { transactions(first: 100) { transactions: nodes { logs { logs: nodes { data } } } } } } }`,
      ),
    ).toBe("an answer may have at most 100,000 rows, this has 110,100 rows");
    const aliases = Array.from({ length: 250 }, (_, i) => `a${i}: txHash`).join(" ");
    expect(
      messageOf(
        `{ ${BLOCKS}, first: 100) { blocks: nodes { transactions(first: 100) { transactions: nodes { ${aliases} } } } } }`,
      ),
    ).toBe("an answer may have at most 2,000,000 values, this has 2,500,202 values");
  });
});

describe("the schema", () => {
  it("has a default `first` on every field with pages, whose type has a list", () => {
    let pages = 0;
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type)) continue;
      for (const { name, args, type: given } of Object.values(type.getFields())) {
        const size = args.find((argument) => argument.name === "first");
        if (!size) continue;
        pages++;
        expect([name, size.defaultValue]).toEqual([name, expect.any(Number)]);
        const page = getNamedType(given);
        const lists = isObjectType(page) ? Object.values(page.getFields()).filter((field) => isListOf(field.type)) : [];
        expect([name, lists.length > 0]).toEqual([name, true]);
      }
    }
    expect(pages).toBeGreaterThan(10);
  });
});

const isListOf = (type: unknown): boolean => isListType((type as { ofType?: unknown }).ofType) || isListType(type);
