import { graphql } from "graphql";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import { COLUMNS } from "../../../prisma/columns.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { type Scan, scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { distinctStatementsOf } from "../../../test/support/database/statements.ts";
import { inField, type ListPlace, ofEntity, ROOT } from "../../../test/support/lists/walk-query.ts";
import { createSubgraph, type EvmSubgraph } from "../subgraph.ts";

const CHAIN = "7";
const ROWS = 20_000;
const SIZE = 10;
/** What the lists are of has each fiftieth row of a table. */
const OFTEN =
  "CASE WHEN n % 50 = 0 THEN decode(repeat('aa', 20), 'hex') ELSE substring(sha256(int4send(n % 1000)) FROM 1 FOR 20) END";
const ADDRESS = `0x${"aa".repeat(20)}`;

/** The first topic of ERC-20 transfers. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Each address once. */
const TOKENS =
  "CASE WHEN n = 1 THEN decode(repeat('aa', 20), 'hex') ELSE substring(sha256(int4send(n)) FROM 1 FOR 20) END";

const VALUES: Readonly<Record<string, string>> = {
  bigint: "n",
  integer: "0",
  smallint: "0",
  numeric: "n",
  bytea: "int4send(n)",
  text: "''",
  boolean: "false",
};

/** Values of columns that decide what a list has. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  evm_blocks: {},
  evm_transactions: {
    block_number: "n",
    from_address: OFTEN,
    to_address: OFTEN,
    input: "CASE WHEN n % 100 = 0 THEN '\\x01020304'::bytea ELSE int8send(n) END",
    tx_status: "(n % 200 <> 0)::int",
  },
  evm_logs: {
    block_number: "n",
    address: OFTEN,
    topic0: "CASE WHEN n % 100 = 0 THEN '\\x00'::bytea ELSE sha256(int4send(n)) END",
    topic1: OFTEN,
    topic2: OFTEN,
    topic3: OFTEN,
  },
  erc20_transfers: {
    block_number: "n",
    from_address: OFTEN,
    to_address: OFTEN,
    // Half of the holder's transfers are of the token, and the token has others.
    token_address: `CASE WHEN n % 100 = 50 THEN int4send(n) WHEN n % 20 = 1 THEN decode(repeat('aa', 20), 'hex') ELSE ${OFTEN} END`,
  },
  erc721_transfers: { block_number: "n", token_address: OFTEN, token_id: "n % 100" },
  erc1155_transfers: { block_number: "n", token_address: OFTEN, token_id: "n % 100" },
  evm_deployments: { address: TOKENS },
  erc20_tokens: { address: TOKENS },
  nft_contracts: { address: TOKENS },
  erc20_counts: { token_address: TOKENS },
  nft_counts: { token_address: TOKENS },
  nft_items: { address: OFTEN, token_id: "n", erc_type: "CASE WHEN n % 100 = 0 THEN 'ERC-1155' ELSE 'ERC-721' END" },
  nft_metadata: {},
};

let database: TestDatabase;
let evm: EvmSubgraph;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const [table, own] of Object.entries(OWN)) await fill(table as keyof typeof COLUMNS, own);
  await database.pool.query(
    "INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions) VALUES ($1, '', 1, $2, '', $2, 1)",
    [CHAIN, ROWS],
  );
  await database.pool.query("VACUUM ANALYZE");
  const chain = { chainId: Number(CHAIN), chainName: "A chain", network: "mainnet", nodeUrl: "http://node.invalid" };
  const config = testConfig({ evmChains: [chain] });
  evm = await createSubgraph({ config, database, logger: createLogger("fatal") });
});
afterAll(async () => {
  await evm[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function fill(table: keyof typeof COLUMNS, own: Readonly<Record<string, string>>): Promise<void> {
  await database.pool.query(`CREATE TABLE ${table}_${CHAIN} PARTITION OF ${table} FOR VALUES IN (${CHAIN})`);
  const columns = Object.entries(COLUMNS[table]).filter(
    ([, type]) => !type.endsWith("?") || table === "evm_transactions",
  );
  const values = columns.map(
    ([column, type]) => own[column] ?? (column === "chain_id" ? CHAIN : VALUES[type.replace("?", "")]),
  );
  await database.pool.query(
    `INSERT INTO ${table} (${columns.map(([column]) => column)}) SELECT ${values} FROM generate_series(1, ${ROWS}) n`,
  );
}

const RANGE = "fromBlock: 100, toBlock: 19900, fromTime: 200, toTime: 19800";
const key = (fields: string) => `chainId: "${CHAIN}", address: "${ADDRESS}" ${fields}`;
const CHAIN_FIELD = inField(`chain(chainId: "${CHAIN}")`);
const EVM_ADDRESS = ofEntity("EvmAddress", key(""));
const ERC20_TOKEN = ofEntity("Erc20Token", key(""));

/** Each list, with the table whose index it reads, its arguments, and how many ranges it reads. */
const LISTS: readonly (readonly [name: string, place: ListPlace, table: string, args: string, ranges: number])[] = [
  ["transactions", inField(`evmAccount(address: "${ADDRESS}")`), "evm_transactions", "filter: { toTime: 19800 }", 2],
  ["transactions", EVM_ADDRESS, "evm_transactions", `filter: { ${RANGE} }`, 2],
  ["transactions", EVM_ADDRESS, "evm_transactions", `filter: { status: FAILED, ${RANGE} }`, 2],
  ["methodCalls", EVM_ADDRESS, "evm_transactions", `method: "0x01020304", filter: { ${RANGE} }`, 2],
  ["methodCalls", EVM_ADDRESS, "evm_transactions", `method: "0x01020304", filter: { direction: SENT, ${RANGE} }`, 1],
  ["methodCalls", EVM_ADDRESS, "evm_transactions", `method: "0x01020304", filter: { direction: RECEIVED }`, 1],
  [
    "methodCalls",
    inField(`evmAccount(address: "${ADDRESS}")`),
    "evm_transactions",
    'method: "0x01020304", filter: { toTime: 19800 }',
    2,
  ],
  ["latestTransactions", ROOT, "evm_transactions", "", 1],
  ["latestBlocks", ROOT, "evm_blocks", "", 1],
  ["transactions", CHAIN_FIELD, "evm_transactions", `filter: { ${RANGE} }`, 1],
  ["blocks", CHAIN_FIELD, "evm_blocks", "", 1],
  ["logs", ofEntity("Contract", key("")), "evm_logs", `filter: { ${RANGE} }`, 1],
  [
    "evmLogs",
    ROOT,
    "evm_logs",
    `chainId: "${CHAIN}", filter: { address: "${ADDRESS}", topic0: "${TRANSFER}", ${RANGE} }`,
    1,
  ],
  ...["TOPIC1", "TOPIC2", "TOPIC3"].map(
    (topic) =>
      [
        "logs",
        ofEntity("Contract", key("")),
        "evm_logs",
        `filter: { indexedArgument: { topic0: "${TRANSFER}", topic: ${topic}, value: "0x${"00".repeat(12)}${ADDRESS.slice(2)}" }, ${RANGE} }`,
        1,
      ] as const,
  ),
  ["erc721Transfers", ofEntity("NftCollection", key("")), "erc721_transfers", `filter: { ${RANGE} }`, 1],
  ["erc1155Transfers", ofEntity("NftCollection", key("")), "erc1155_transfers", `filter: { ${RANGE} }`, 1],
  ["transfers", ofEntity("Erc721Token", key('tokenId: "50"')), "erc721_transfers", `filter: { ${RANGE} }`, 1],
  ["transfers", ERC20_TOKEN, "erc20_transfers", `filter: { ${RANGE} }`, 1],
  ["transfers", ERC20_TOKEN, "erc20_transfers", `filter: { address: "${ADDRESS}", ${RANGE} }`, 2],
  ["transfers", ERC20_TOKEN, "erc20_transfers", `filter: { address: "${ADDRESS}", direction: SENT, ${RANGE} }`, 1],
  ["transfers", ERC20_TOKEN, "erc20_transfers", `filter: { address: "${ADDRESS}", direction: RECEIVED }`, 1],
  ["erc20Transfers", EVM_ADDRESS, "erc20_transfers", `filter: { direction: SENT, ${RANGE} }`, 1],
  ["tokens", ofEntity("NftCollection", key("")), "nft_items", "", 1],
  ["erc20Tokens", CHAIN_FIELD, "erc20_counts", "orderBy: { field: HOLDERS }", 1],
  ["erc20Tokens", CHAIN_FIELD, "erc20_counts", "orderBy: { field: TRANSFERS, direction: ASC }", 1],
  ["nftCollections", CHAIN_FIELD, "nft_counts", "orderBy: { field: TRANSFERS }", 1],
  ["contracts", CHAIN_FIELD, "evm_deployments", "", 1],
];

describe("the statement of a list", () => {
  it.each(LISTS)("reads only the rows of the page, by index: %s %#", async (field, place, table, args, ranges) => {
    for (const page of [`first: ${SIZE}`, `last: ${SIZE}`]) {
      const sent = await distinctStatementsOf(async () => {
        const selection = `list: ${field}(${page} ${args}) { nodes { __typename } pageInfo { endCursor } }`;
        const { errors } = await graphql({
          schema: evm.schema,
          source: place.around(selection),
          contextValue: evm.context({ work: createWork(), requestId: "test" }),
        });
        expect(errors).toBeUndefined();
      });
      const statements = sent.filter(
        ({ text }) => new RegExp(`FROM ${table}\\b`).test(text) && text.includes("listHead"),
      );
      expect(statements).toHaveLength(1);
      for (const { text, values } of statements) {
        for (const scans of [
          await scansOf(database.pool, text, values),
          await scansOfGenericPlan(database.pool, text, values),
        ])
          expectRanges(scans, table, ranges);
      }
    }
  });
});

function expectRanges(scans: readonly Scan[], table: string, ranges: number): void {
  const read = scans.filter((scan) => scan.table.startsWith(table) && scan.rows + scan.removed > 0);
  // The table of blocks is also read to find a time.
  if (table !== "evm_blocks") expect(read).toHaveLength(ranges);
  for (const { kind, rows, removed } of read) {
    expect(kind).toMatch(/^Index (Only )?Scan$/);
    expect(rows + removed).toBeLessThanOrEqual(table === "evm_blocks" ? 64 : SIZE + 1);
  }
}
