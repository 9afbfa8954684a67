import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../../core/logger.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import {
  createHoldersDatabase,
  HOLDERS_CHAIN,
  HOLDERS_CONFIG,
  HOLDERS_HEAD,
  LARGE_TOKEN,
  SMALL_TOKEN,
} from "../../../test/support/indexed/holders-chain.ts";
import { createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";
import { supplyStatement } from "../supplies/store.ts";
import { AT_BLOCKS } from "./at-blocks.ts";
import { currentStatement, parametersOf } from "./store.ts";

let database: TestDatabase;
let metrics: MetricsSubgraph;
beforeAll(async () => {
  database = await createHoldersDatabase();
  metrics = createMetricsSubgraph({ config: HOLDERS_CONFIG, database, logger: createLogger("silent") });
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

const ask = (fields: string, ...tokens: string[]): Promise<ExecutionResult> => {
  const keys = tokens.map(
    (address) => `{ __typename: "Erc20Token", chainId: "${HOLDERS_CHAIN}", address: "${address}" }`,
  );
  const source = `{ _entities(representations: [${keys}]) { ... on Erc20Token { ${fields} } } }`;
  return graphql({ schema: metrics.schema, source, contextValue: metrics.context({ requestId: "test" }) });
};

interface Page {
  readonly nextPageToken: string | null;
  readonly holders: readonly { readonly address: string; readonly balance: string }[];
}

async function pageOf(args: string): Promise<Page> {
  const { data, errors } = await ask(`holders(${args}) { nextPageToken holders { address balance } }`, LARGE_TOKEN);
  expect(errors).toBeUndefined();
  return (data as { _entities: [{ holders: Page }] })._entities[0].holders;
}

describe("Erc20Token.holders", () => {
  const key = {
    chainId: HOLDERS_CHAIN,
    tokenAddress: LARGE_TOKEN,
    blockNumber: null,
    balanceBefore: null,
    addressBefore: null,
    size: 11,
  };
  const deep = { balanceBefore: "500000", addressBefore: "0x00" };

  it.each([
    ["the first page", {}],
    ["a page far below", deep],
  ])("reads only the rows of the page, by index: %s", async (_, place) => {
    const values = parametersOf([{ ...key, ...place }]);
    for (const table of ["erc20_holders", "nft_holders"] as const) {
      const scans = await scansOf(database.pool, currentStatement(table), values);
      expect(scans.filter((scan) => scan.table.startsWith(table))).toEqual([
        {
          table: `${table}_${HOLDERS_CHAIN}`,
          kind: "Index Only Scan",
          rows: 11,
          removed: 0,
        },
      ]);
    }
  });

  it.each([
    ["the first page", {}, 200],
    ["a page far below, after reading all balances above it", deep, 20_000],
  ])("reads by index after a block: %s", async (_, place, most) => {
    const values = parametersOf([{ ...key, ...place, blockNumber: "5000" }]);
    const scans = await scansOf(database.pool, AT_BLOCKS, values);
    const ofTokens = scans.filter(({ table }) => table.startsWith("erc20_"));
    expect(ofTokens.map(({ kind }) => kind.replace(" Only", ""))).toEqual(ofTokens.map(() => "Index Scan"));
    for (const { rows, removed } of ofTokens) expect(rows + removed).toBeLessThanOrEqual(most);
  });

  it("has the same holders as a sort of all balances, on every page, now and after blocks", async () => {
    for (const block of [null, 1, 2_500, 6_000, HOLDERS_HEAD]) {
      const { rows } = await database.pool.query<{ address: string; balance: string }>(
        `SELECT '0x' || encode(address, 'hex') AS address, balance::text FROM (
           SELECT DISTINCT ON (address) address, balance FROM erc20_balances
           WHERE token_address = $1 AND block_number <= $2 ORDER BY address, block_number DESC) latest
         WHERE balance > 0 ORDER BY latest.balance DESC, latest.address DESC`,
        [Buffer.from(LARGE_TOKEN.slice(2), "hex"), block ?? HOLDERS_HEAD],
      );
      const found: Page["holders"][number][] = [];
      let after = "";
      for (let page = 0; page < 3; page++) {
        const at = block === null ? "" : `blockNumber: "${block}", `;
        const { holders, nextPageToken } = await pageOf(`${at}pageSize: ${[7, 1_000, 300][page]}${after}`);
        found.push(...holders);
        after = `, pageToken: "${nextPageToken}"`;
        if (nextPageToken === null) break;
      }
      const expected = rows.slice(0, 1_307);
      expect(found.map(({ address, balance }) => ({ address: address.toLowerCase(), balance }))).toEqual(expected);
    }
  });

  it("rejects a block that is not indexed, and names the last indexed block", async () => {
    for (const field of ["holders(blockNumber: 10000) { nextPageToken }", "holderCount(blockNumber: 10000)"]) {
      const { errors } = await ask(field, LARGE_TOKEN);
      expect(errors).toMatchObject([
        {
          message: "blockNumber must be at most 9999, the last indexed block, got 10000",
          extensions: { code: "INVALID_PARAMETER" },
        },
      ]);
    }
  });

  it("costs one statement for the pages of all tokens, one for their counts, and one for the tokens of pages", async () => {
    const fields = `holders(pageSize: 2) { nextPageToken holders { balance } } holderCount totalSupply
      before: holderCount(blockNumber: 4000) old: holders(blockNumber: 4000, pageSize: 1) { nextPageToken }`;
    const statements = await statementsOf(async () => {
      const { errors } = await ask(fields, LARGE_TOKEN, SMALL_TOKEN, `0x${"cc".repeat(20)}`);
      expect(errors).toBeUndefined();
    });
    expect(statements.filter((text) => text.startsWith("SELECT"))).toHaveLength(3);
    expect(statements.filter((text) => text.startsWith("WITH expired")).length).toBeLessThanOrEqual(2);
  });
});

it("Erc20Token.totalSupply reads one row, by index", async () => {
  await database.pool.query(
    `INSERT INTO erc20_supplies SELECT ${HOLDERS_CHAIN}, decode(repeat('dd', 20), 'hex'), n, n, n * 10 FROM generate_series(1, 5000) n`,
  );
  await database.pool.query("ANALYZE erc20_supplies");
  const token = `0x${"dd".repeat(20)}`;
  const values = [[HOLDERS_CHAIN], [`\\x${"dd".repeat(20)}`], [4_000]];
  const scans = await scansOf(database.pool, supplyStatement("erc20_supplies"), values);
  const [supply] = scans.filter(({ table }) => table.startsWith("erc20_supplies"));
  expect(supply).toMatchObject({ kind: "Index Scan", rows: 1, removed: 0 });
  const { data } = await ask(
    'now: totalSupply past: totalSupply(blockNumber: "4000") first: holderCount(blockNumber: 0)',
    token,
  );
  expect(data).toEqual({ _entities: [{ now: "50000", past: "40000", first: "0" }] });
});
