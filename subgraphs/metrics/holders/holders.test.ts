import { type ExecutionResult, graphql } from "graphql";
import { partitionValues } from "../../../core/database/by-partition.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { namedRows } from "../../../test/support/database/named-balances.ts";
import { type Scan, scansOf } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import {
  createHoldersDatabase,
  HOLDERS_CHAIN,
  HOLDERS_CONFIG,
  HOLDERS_HEAD,
  LARGE_TOKEN,
  OTHER_TOKEN,
  SMALL_TOKEN,
} from "../../../test/support/indexed/holders-chain.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { createSubgraph as createMetricsSubgraph, type MetricsSubgraph } from "../subgraph.ts";
import { supplyStatement } from "../supplies/store.ts";
import { atBlocksStatement, beforeAtBlocksStatement } from "./at-blocks.ts";
import { BY_ADDRESS_PARAMETERS, byAddressStatement, type HoldersByAddressKey } from "./by-address.ts";
import { MAX_CANDIDATES } from "./keys.ts";
import { readHolders } from "./pages.ts";
import { currentStatement, PARAMETERS } from "./store.ts";

const TABLES_IN_DIRECTIONS = [
  ["erc20_holders", false],
  ["erc20_holders", true],
  ["nft_holders", false],
  ["nft_holders", true],
] as const;

let database: TestDatabase;
let metrics: MetricsSubgraph;
/** The same with pages that consider 40 addresses. */
let hurried: MetricsSubgraph;
beforeAll(async () => {
  database = await createHoldersDatabase();
  const deps = { config: HOLDERS_CONFIG, database, logger: createLogger("silent") };
  metrics = await createMetricsSubgraph(deps);
  hurried = await createMetricsSubgraph({ ...deps, maxCandidates: 40 });
}, 30_000);
afterAll(() => database[Symbol.asyncDispose]());

const ask = (fields: string, ...tokens: string[]): Promise<ExecutionResult> => askOf(metrics, fields, ...tokens);

const askOf = ({ schema, context }: MetricsSubgraph, fields: string, ...tokens: string[]): Promise<ExecutionResult> => {
  const keys = tokens.map(
    (address) => `{ __typename: "Erc20Token", chainId: "${HOLDERS_CHAIN}", address: "${address}" }`,
  );
  const source = `{ _entities(representations: [${keys}]) { ... on Erc20Token { ${fields} } } }`;
  return graphql({ schema, source, contextValue: context({ work: createWork(), requestId: "test" }) });
};

interface BackwardPage {
  readonly nodes: readonly { readonly address: string; readonly balance: string }[];
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: { readonly startCursor: string | null; readonly hasPreviousPage: boolean };
}

interface Page {
  readonly nextPageToken: string | null;
  readonly holders: readonly { readonly address: string; readonly balance: string }[];
}

async function pageOf(args: string, subgraph = metrics): Promise<Page> {
  const { data, errors } = await askOf(
    subgraph,
    `holders(${args}) { nextPageToken holders: nodes { address balance } }`,
    LARGE_TOKEN,
  );
  expect(errors).toBeUndefined();
  return (data as { _entities: [{ holders: Page }] })._entities[0].holders;
}

/** Every scan of the token's tables uses an index and reads at most so many rows. */
function expectIndexed(scans: readonly Scan[], most: number): void {
  const ofTokens = scans.filter(({ table }) => table.startsWith("erc20_"));
  expect(ofTokens.map(({ kind }) => kind.replace(" Only", ""))).toEqual(ofTokens.map(() => "Index Scan"));
  // PostgreSQL rounds the rows of each repetition of a scan; before version 18, to whole rows.
  for (const { rows, removed } of ofTokens) expect(Math.round(rows + removed)).toBeLessThanOrEqual(most * 1.005);
}

describe("Erc20Token.holders", () => {
  const key = {
    chainId: HOLDERS_CHAIN,
    tokenAddress: LARGE_TOKEN,
    tokenId: null,
    blockNumber: null,
    balance: null,
    address: null,
    isBackward: false,
    size: 11,
  };
  const deep = { balance: "500000", address: "0x00" };

  it.each([
    ["the first page", {}],
    ["a page far below", deep],
  ])("reads only the rows of the page, by index: %s", async (_, place) => {
    for (const [table, isBackward] of TABLES_IN_DIRECTIONS) {
      const values = partitionValues([{ ...key, ...place, isBackward }], PARAMETERS);
      const scans = await scansOf(database.pool, currentStatement(table, isBackward), values);
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
    ["a page far below, at most the addresses with the highest balances", deep, MAX_CANDIDATES],
  ])("reads by index after a block: %s", async (_, place, most) => {
    const values = partitionValues([{ ...key, ...place, blockNumber: "5000" }], PARAMETERS);
    expectIndexed(await scansOf(database.pool, atBlocksStatement(MAX_CANDIDATES), values), most);
    expectIndexed(await scansOf(database.pool, beforeAtBlocksStatement(MAX_CANDIDATES), values), MAX_CANDIDATES + 1);
  });

  it("reads no history after a block if the rows of the holders have all past balances", async () => {
    const historyOf = async (tokenAddress: string) => {
      const values = partitionValues([{ ...key, tokenAddress, blockNumber: "5000" }], PARAMETERS);
      const scans = await scansOf(database.pool, atBlocksStatement(MAX_CANDIDATES), values);
      return scans.filter(({ table, rows }) => table.startsWith("erc20_balances") && rows > 0).length;
    };
    expect([await historyOf(LARGE_TOKEN), await historyOf(OTHER_TOKEN)]).toEqual([1, 0]);
  });

  it.each([
    ["now", null, 11],
    ["after a block", "5000", 60],
    ["after the last block", String(HOLDERS_HEAD), 11],
  ])("reads only the rows of the page in the order of addresses, by index: %s", async (_, blockNumber, most) => {
    for (const [address, isBackward] of [
      [null, false],
      [`0x${"80".repeat(20)}`, false],
      [null, true],
      [`0x${"80".repeat(20)}`, true],
    ] as const) {
      const values = partitionValues(
        [
          {
            chainId: HOLDERS_CHAIN,
            tokenAddress: LARGE_TOKEN,
            tokenId: null,
            blockNumber,
            address,
            isBackward,
            size: 11,
          },
        ],
        BY_ADDRESS_PARAMETERS,
      );
      const statement = byAddressStatement("erc20_holders", MAX_CANDIDATES, isBackward);
      const scans = await scansOf(database.pool, statement, values);
      // Some of these addresses hold nothing.
      expectIndexed(scans, most + 30);
      const ofHistory = scans.filter(({ table }) => table.startsWith("erc20_balances") && blockNumber !== "5000");
      expect(ofHistory.filter(({ rows }) => rows > 0)).toEqual([]);
    }
    for (const isBackward of [false, true]) {
      const of = { chainId: HOLDERS_CHAIN, tokenAddress: LARGE_TOKEN, tokenId: null };
      const key = { ...of, address: null, isBackward, blockNumber: null, size: 11 };
      const nfts = byAddressStatement("nft_holders", MAX_CANDIDATES, isBackward);
      const scans = await scansOf(database.pool, nfts, partitionValues([key], BY_ADDRESS_PARAMETERS));
      expect(scans.filter(({ table, rows }) => table.startsWith("nft_holders") && rows > 0)).toEqual([
        { table: `nft_holders_${HOLDERS_CHAIN}`, kind: "Index Only Scan", rows: 11, removed: 0 },
      ]);
    }
  });

  it("has the same holders as a sort of all balances, in both orders, on every page, now and after blocks", async () => {
    for (const block of [null, 1, 2_500, 6_000, HOLDERS_HEAD])
      for (const [orderBy, order, sizes, subgraph] of [
        ["BALANCE", "latest.balance DESC, latest.address DESC", [7, 200, 30], metrics],
        ["ADDRESS", "address", [7, 1_000, 300], metrics],
        // The pages are parts.
        ["ADDRESS", "address", [7, 1_000, 300], hurried],
      ] as const) {
        // Nearly all holders came later.
        if (block === 1 && orderBy === "BALANCE") continue;
        const { rows } = await database.pool.query<{ address: string; balance: string }>(
          `SELECT '0x' || encode(address, 'hex') AS address, balance::text FROM (
             SELECT DISTINCT ON (address) address, balance FROM ${namedRows("erc20_balances")} b
             WHERE token_address = $1 AND block_number <= $2 ORDER BY address, block_number DESC) latest
           WHERE balance > 0 ORDER BY ${order}`,
          [Buffer.from(LARGE_TOKEN.slice(2), "hex"), block ?? HOLDERS_HEAD],
        );
        const found: Page["holders"][number][] = [];
        let after = "";
        for (const pageSize of sizes) {
          const at = block === null ? "" : `at: { block: "${block}" }, `;
          const page = await pageOf(`${at}orderBy: ${orderBy}, first: ${pageSize}${after}`, subgraph);
          // A page of few candidates can be empty after an early block.
          if (subgraph === metrics) expect(page.holders.length).toBeGreaterThan(0);
          found.push(...page.holders);
          after = `, after: "${page.nextPageToken}"`;
          if (page.nextPageToken === null) break;
        }
        if (subgraph === metrics) await expectSamePagesBackward(block, orderBy, found);
        const shown = found.map(({ address, balance }) => ({ address: address.toLowerCase(), balance }));
        expect([block, orderBy, shown]).toEqual([block, orderBy, rows.slice(0, found.length)]);
        const most = sizes.reduce((sum, size) => sum + size, 0);
        if (subgraph === metrics) expect(found).toHaveLength(Math.min(rows.length, most));
      }
  });

  /** Reads holders backward, from one that follows some of them, and from the end of the list. */
  async function expectSamePagesBackward(
    block: number | null,
    orderBy: string,
    found: readonly Page["holders"][number][],
  ): Promise<void> {
    const at = `${block === null ? "" : `at: { block: "${block}" }, `}orderBy: ${orderBy}`;
    const backwardPage = async (args: string) => {
      const fields = `holders(${at}, ${args}) { nodes { address balance } pageInfo { startCursor hasPreviousPage } edges { cursor } }`;
      const { data, errors } = await ask(fields, LARGE_TOKEN);
      expect(errors).toBeUndefined();
      return (data as { _entities: [{ holders: BackwardPage }] })._entities[0].holders;
    };
    const forward = await backwardPage("first: 120");
    let before = forward.edges.at(-1)?.cursor ?? "";
    const expected = found.slice(0, forward.nodes.length - 1);
    const read: Page["holders"][number][] = [];
    for (const last of [7, 50, 1_000]) {
      const page = await backwardPage(`last: ${last}, before: "${before}"`);
      read.unshift(...page.nodes);
      before = page.pageInfo.startCursor ?? "";
      expect(page.pageInfo.hasPreviousPage).toBe(read.length < expected.length);
      if (!page.pageInfo.hasPreviousPage) break;
    }
    expect([block, orderBy, read]).toEqual([block, orderBy, expected]);
  }

  it("ends a page by address after ten statements, and its token leads on to all holders", async () => {
    const walk = async (subgraph: MetricsSubgraph) => {
      const walked = { holders: [] as Page["holders"][number][], statements: [] as number[] };
      for (let after: string | null = ""; after !== null; ) {
        const args = `at: { block: 1 }, orderBy: ADDRESS, first: 1000, after: "${after}"`;
        let page: Page = { holders: [], nextPageToken: null };
        const statements = await statementsOf(async () => {
          page = await pageOf(args, subgraph);
        });
        walked.statements.push(statements.filter((text) => text.includes("last_candidate")).length);
        walked.holders.push(...page.holders);
        after = page.nextPageToken;
      }
      return walked;
    };
    const { holders, statements } = await walk(hurried);
    expect(holders).toEqual((await walk(metrics)).holders);
    expect(statements.length).toBeGreaterThan(2);
    expect(Math.max(...statements)).toBe(10);
  });

  it("fails if the addresses with the highest balances do not determine a page, and names the other order", async () => {
    expect((await ask("holders(at: { block: 1 }, first: 10) { nextPageToken }", LARGE_TOKEN)).errors).toMatchObject([
      {
        message: expect.stringMatching(/^orderBy must be ADDRESS to list all holders after block 1: /),
        extensions: { code: "INVALID_PARAMETER" },
      },
    ]);
  });

  it("fails if the chain is not indexed any more when a page that is not full is completed", async () => {
    const context = hurried.context({ work: createWork(), requestId: "test" });
    const { erc20Holders: byBalance, erc20HoldersByAddress } = context.load;
    const byAddress = async (key: HoldersByAddressKey) => (key.address === null ? erc20HoldersByAddress(key) : null);
    const token = { chainId: HOLDERS_CHAIN, address: LARGE_TOKEN };
    const page = { size: 60, orderBy: "ADDRESS" } as const;
    const request = {
      list: "holders",
      token,
      at: null,
      page,
      load: { byBalance, byAddress },
      count: async () => exactly(0),
    };
    await expect(readHolders(request, context)).rejects.toMatchObject({
      message: `chain ${HOLDERS_CHAIN} is not indexed yet: its indexer has not started`,
      extensions: { code: "UNAVAILABLE" },
    });
  });

  it("reads the last holders after a block, unless more addresses had the token than a page considers", async () => {
    const list = "holders(at: { block: 6000 }, last: 3) { nodes { address balance } }";
    const patient = await createMetricsSubgraph({
      config: HOLDERS_CONFIG,
      database,
      logger: createLogger("silent"),
      maxCandidates: 1_000_000,
    });
    const { data } = await askOf(patient, list, LARGE_TOKEN);
    const { holders } = (data as { _entities: [{ holders: BackwardPage }] })._entities[0];
    const { rows } = await database.pool.query<{ address: string; balance: string }>(
      `SELECT '0x' || encode(address, 'hex') AS address, balance::text FROM (
         SELECT DISTINCT ON (address) address, balance FROM ${namedRows("erc20_balances")} b
         WHERE token_address = $1 AND block_number <= 6000 ORDER BY address, block_number DESC) latest
       WHERE balance > 0 ORDER BY latest.balance, latest.address LIMIT 3`,
      [Buffer.from(LARGE_TOKEN.slice(2), "hex")],
    );
    expect(rows).toHaveLength(3);
    expect(holders.nodes.map(({ address, balance }) => ({ address: address.toLowerCase(), balance }))).toEqual(
      rows.reverse(),
    );
    expect((await ask(list, LARGE_TOKEN)).errors).toMatchObject([
      { message: expect.stringMatching(/^orderBy must be ADDRESS to list all holders/) },
    ]);
  });

  it("accepts a token only with the same order", async () => {
    const { nextPageToken } = await pageOf("at: { block: 6000 }, first: 2, orderBy: ADDRESS");
    const { errors } = await ask(
      `holders(at: { block: 6000 }, after: "${nextPageToken}") { nextPageToken }`,
      LARGE_TOKEN,
    );
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^the page token or cursor must be from a page/) }]);
  });

  it("rejects a block that is not indexed, and names the last indexed block", async () => {
    for (const field of ["holders(at: { block: 10000 }) { nextPageToken }", "holderCount(at: { block: 10000 })"]) {
      const { errors } = await ask(field, LARGE_TOKEN);
      expect(errors).toMatchObject([
        {
          message: "at.block must be at most 9999, the last indexed block, got 10000",
          extensions: { code: "INVALID_PARAMETER" },
        },
      ]);
    }
  });

  it("costs one statement for the pages of all tokens in each order, one for their counts, and one for the tokens of pages", async () => {
    const fields = `holders(first: 2) { nextPageToken holders: nodes { balance } } holderCount totalSupply
      before: holderCount(at: { block: 4000 }) old: holders(at: { block: 4000 }, first: 1) { nextPageToken }
      byAddress: holders(at: { block: 4000 }, first: 9, orderBy: ADDRESS) { nextPageToken }`;
    const statements = await statementsOf(async () => {
      const { errors } = await ask(fields, LARGE_TOKEN, SMALL_TOKEN, `0x${"cc".repeat(20)}`);
      expect(errors).toBeUndefined();
    });
    // One finds the block of all `at`, and one reads the counts after it.
    expect(statements.filter((text) => text.startsWith("SELECT"))).toHaveLength(6);
    expect(statements.filter((text) => text.startsWith("WITH expired")).length).toBeLessThanOrEqual(3);
  });
});

it("Erc20Token.totalSupply reads one row, by index", async () => {
  await database.pool.query(
    `INSERT INTO erc20_supplies SELECT ${HOLDERS_CHAIN}, decode(repeat('dd', 20), 'hex'), n, n, n * 10 FROM generate_series(1, 5000) n`,
  );
  await database.pool.query("ANALYZE erc20_supplies");
  const token = `0x${"dd".repeat(20)}`;
  const values = [HOLDERS_CHAIN, [`\\x${"dd".repeat(20)}`], [null], [4_000]];
  const scans = await scansOf(database.pool, supplyStatement("erc20_supplies"), values);
  const [supply] = scans.filter(({ table }) => table.startsWith("erc20_supplies"));
  expect(supply).toMatchObject({ kind: "Index Scan", rows: 1, removed: 0 });
  const { data } = await ask(
    'now: totalSupply past: totalSupply(at: { block: "4000" }) first: holderCount(at: { block: 0 })',
    token,
  );
  expect(data).toEqual({ _entities: [{ now: "50000", past: "40000", first: "0" }] });
});
