import { readdirSync } from "node:fs";
import { graphql, parse } from "graphql";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { checkCost } from "../../core/graph/cost.ts";
import { compileCost } from "../../core/graph/operation-cost.ts";
import { loadOperation } from "../../rest-compat/graph/operation.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "./evm.ts";
import { type Served, serveGraph, serveSubgraph } from "./served.ts";

/** A contract that called itself 391 times in one transaction. */
const CALLER = "0x554a1eb5701f9b3c8daf4ed01e28b96b24317f03";

/** Internal transactions of the caller, with `levels` more levels of the internal transactions of their transaction. */
function nested(levels: number, selection: string, pageSize = "100"): string {
  const below = (left: number): string =>
    left === 0
      ? selection
      : `transaction { internalTransactions(first: ${pageSize}) { transactions: nodes { ${below(left - 1)} } } }`;
  return `internalTransactions(chainId: "${C_CHAIN}", address: "${CALLER}", first: ${pageSize}) { transactions: nodes { ${below(levels)} } }`;
}

const TOO_COMPLEX = "OPERATION_TOO_COMPLEX";

let opened: OpenedEvm;
let graph: Awaited<ReturnType<typeof serveGraph>>;
let subgraph: Served;
beforeAll(async () => {
  opened = await openEvm();
  const indexed = { database: opened.database, config: opened.database.config };
  graph = await serveGraph(indexed);
  subgraph = await serveSubgraph(indexed);
});
afterAll(async () => {
  for (const resource of [graph, subgraph, opened]) await resource[Symbol.asyncDispose]();
});

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

async function ask({ url }: Served, query: string, variables: object = {}): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return (await response.json()) as Answer;
}

const codesAndMessages = ({ errors = [] }: Answer) =>
  errors.map(({ message, extensions }) => [extensions?.code, message]);

describe("a document that is expensive to validate", () => {
  it.each([
    ["in an operation", `{ chains { ${"chains { chainId } ".repeat(51)} } }`, "chains"],
    ["without meaning", `{ chains { ${"nothing ".repeat(51)} } }`, "nothing"],
    ["in introspection", `{ ${"a: __typename ".repeat(51)} }`, "a"],
    [
      "in fragments",
      `{ ...A ...A } fragment A on Query { ...B ...B ...B } fragment B on Query { ${"a: __typename ".repeat(9)} }`,
      "a",
    ],
  ])("is refused before that: a field 51 times in one place, %s", async (_, query, name) => {
    const message = `a document may select a field at most 50 times in one place, this one selects ${name} more often`;
    expect(codesAndMessages(await ask(graph, query))).toEqual([[TOO_COMPLEX, message]]);
  });

  it("may repeat a field 50 times", async () => {
    expect(await ask(graph, `{ ${"a: __typename ".repeat(50)} }`)).toEqual({ data: { a: "Query" } });
  });
});

describe("an operation above the limits of a result", () => {
  const refusal = [
    [TOO_COMPLEX, "an answer may have at most 100,000 rows, this operation asks for up to 101,010,100 rows"],
  ];

  it("is refused before it runs, with page sizes in its document or in its variables", async () => {
    expect(codesAndMessages(await ask(graph, `{ ${nested(3, "opcode")} }`))).toEqual(refusal);
    const query = `query ($n: Int) { ${nested(3, "opcode", "$n")} }`;
    expect(codesAndMessages(await ask(graph, query, { n: 100 }))).toEqual(refusal);
    expect(await ask(graph, query, { n: 2 })).toEqual({ data: { internalTransactions: expect.anything() } });
    expect(codesAndMessages(await ask(graph, query, { n: 100 }))).toEqual(refusal);
  });

  it("is refused as a subscription and over WebSocket", async () => {
    const client = createClient({ url: graph.url.replace("http", "ws"), webSocketImpl: WebSocket });
    const below = `transactions(first: 100) { transactions: nodes { internalTransactions(first: 100) { transactions: nodes { ${"transaction { internalTransactions(first: 100) { transactions: nodes { opcode } } }"} } } } }`;
    const first = async (query: string) => (await client.iterate({ query }).next()).value as Answer;
    expect(codesAndMessages(await first(`subscription { blockAdded(chainId: "${C_CHAIN}") { ${below} } }`))).toEqual([
      [TOO_COMPLEX, "an answer may have at most 100,000 rows, this operation asks for up to 1,010,100 rows"],
    ]);
    expect(codesAndMessages(await first(`{ ${nested(3, "opcode")} }`))).toEqual(refusal);
    await client.dispose();
  });

  it("differs from an operation of two nested pages of 100, which runs", async () => {
    const answer = await ask(graph, `{ ${nested(1, "opcode from { address }")} }`);
    expect(answer.errors).toBeUndefined();
    expect(JSON.stringify(answer).match(/"opcode"/g)).toHaveLength(10_000);
  });

  it("is refused if the texts of its answer are too long", async () => {
    const inputs = (length: number) =>
      opened.database.pool.query(
        `UPDATE evm_transactions SET input = decode(repeat('ab', ${length}), 'hex') WHERE chain_id = ${C_CHAIN} AND to_address = '\\x${CALLER.slice(2)}'`,
      );
    const query = `{ ${nested(1, "transaction { input }")} }`;
    await inputs(1_000);
    expect(codesAndMessages(await ask(graph, query))).toEqual([]);
    await inputs(10_000);
    expect(await ask(graph, query)).toEqual({
      data: null,
      errors: [
        {
          message: "an answer may have at most 67,108,864 characters of text, this one has more",
          extensions: { code: TOO_COMPLEX },
        },
      ],
    });
  });

  it("is never a REST operation, even with the largest pages", () => {
    const files = readdirSync(new URL("../../rest-compat/operations", import.meta.url));
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      const { document } = loadOperation(file.replace(".graphql", ""));
      // E19 allows pages of 10,000 subnets.
      const pageSize = file === "list-subnets.graphql" ? 10_000 : 100;
      const cost = compileCost(graph.graph.schema, parse(document), null)({ pageSize });
      expect([file, checkCost(cost, String)]).toEqual([file, null]);
    }
  });
});

describe("an answer that exceeds the limits while its operation runs", () => {
  const exceeded = (rows: string) => [
    TOO_COMPLEX,
    `an answer may have at most 100,000 rows, this one would have ${rows} rows or more`,
  ];

  it("is refused by the subgraph itself, which counts repeated rows each time", async () => {
    // Only the gateway estimates the cost of an operation before it runs.
    const [first] = codesAndMessages(await ask(subgraph, `{ ${nested(2, "opcode")} }`));
    expect(first).toEqual(exceeded("100,100"));
    expect(codesAndMessages(await ask(subgraph, `{ ${nested(1, "opcode")} }`))).toEqual([]);
  });

  it("is refused for entities too", async () => {
    const { rows } = await opened.database.pool.query<{ hash: string }>(
      `SELECT '0x' || encode(tx_hash, 'hex') AS hash FROM evm_internal_transactions
       WHERE from_address = '\\x${CALLER.slice(2)}' GROUP BY tx_hash HAVING count(*) > 100 LIMIT 1`,
    );
    const key = `{ __typename: "EvmTransaction", chainId: "${C_CHAIN}", txHash: "${rows[0]?.hash}" }`;
    const entities = (count: number) =>
      `{ _entities(representations: [${Array(count).fill(key).join(", ")}]) { ... on EvmTransaction { internalTransactions(first: 100) { transactions: nodes { opcode } } } } }`;
    expect(codesAndMessages(await ask(subgraph, entities(900)))).toEqual([]);
    expect(codesAndMessages(await ask(subgraph, entities(1_000)))).toContainEqual(exceeded("100,100"));
  });

  it("is counted separately for each operation", async () => {
    const contextValue = opened.context();
    const source = `{ ${nested(1, "opcode")} }`;
    // These operations share a context, like the events of a subscription.
    for (let event = 0; event < 11; event++)
      expect((await graphql({ schema: opened.evm.schema, source, contextValue })).errors).toBeUndefined();
  });
});
