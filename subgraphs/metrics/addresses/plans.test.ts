import type { TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { createMetricsDatabase, METRICS_CHAIN } from "../../../test/support/indexed/metrics-chain.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import { ERC20_BALANCES } from "../address-balances/store.ts";
import { NFTS } from "../address-nfts/store.ts";
import { holdingsStatement } from "./holding-lists.ts";
import { ACTIVITY } from "./store.ts";

const TABLES = ["erc20_holders", "erc20_tokens", "nft_holdings", "evm_addresses"];
const SIZE = 21;

/** 20 bytes that end with a number. */
const bytesOf = (number: string): string => `decode(lpad(to_hex(${number}), 40, '0'), 'hex')`;
const ADDRESSES = byteaArray(["7", "31"].map((hex) => `0x${hex.padStart(40, "0")}`));
const SIZES = [SIZE, SIZE];

let database: TestDatabase;
beforeAll(async () => {
  database = await createMetricsDatabase();
  const { pool } = database;
  for (const table of TABLES)
    await pool.query(`CREATE TABLE ${table}_${METRICS_CHAIN} PARTITION OF ${table} FOR VALUES IN (${METRICS_CHAIN})`);
  // 200 addresses, each of which holds 50 tokens, every tenth of them with a negative balance.
  const pairs = "generate_series(1, 200) AS a, generate_series(1, 50) AS t";
  const balance = "CASE WHEN t % 10 = 0 THEN -1 ELSE t END";
  for (const rows of [
    `erc20_holders SELECT ${METRICS_CHAIN}, ${bytesOf("t")}, ${bytesOf("a")}, ${balance}, 50, 1, 1, 1, NULL, NULL, NULL, NULL,
      a * 50 + t FROM ${pairs}`,
    `nft_holdings SELECT ${METRICS_CHAIN}, ${bytesOf("a")}, ${bytesOf("t % 3")}, t, 'ERC-721', ${balance} FROM ${pairs}`,
    `erc20_tokens SELECT ${METRICS_CHAIN}, ${bytesOf("t")}, 1, 'INDEXED' FROM generate_series(1, 2000) AS t`,
    `evm_addresses SELECT ${METRICS_CHAIN}, ${bytesOf("a")}, a % 300 + 1, 300, 0, 1 FROM generate_series(1, 2000) AS a`,
  ])
    await pool.query(`INSERT INTO ${rows}`);
  for (const table of [...TABLES, "evm_blocks"]) await pool.query(`ANALYZE ${table}`);
});
afterAll(() => database[Symbol.asyncDispose]());

type Scans = typeof scansOf;

/** Rows that a statement reads of each table. Fails if it reads a table without its index. */
async function rowsRead(scans: Scans, statement: string, values: readonly unknown[]): Promise<Record<string, number>> {
  const read: Record<string, number> = {};
  for (const { table, kind, rows, removed } of await scans(database.pool, statement, values)) {
    const name = table.replace(`_${METRICS_CHAIN}`, "");
    // The heads of chains are a row for each chain.
    if (name === "chain_heads") continue;
    expect([name, kind]).not.toEqual([name, "Seq Scan"]);
    read[name] = (read[name] ?? 0) + rows + removed;
  }
  return read;
}

/** The same token for both addresses. */
const tokens = (hex: string): string => byteaArray(SIZES.map(() => `0x${hex.padStart(40, "0")}`));

describe.each(
  (
    [
      ["for its values", scansOf],
      ["for any values", scansOfGenericPlan],
    ] as const
  ).flatMap(([name, scans]) => [[name, "forward", scans, false] as const, [name, "backward", scans, true] as const]),
)("with a plan %s, a page that is read %s", (_, __, scans, isBackward) => {
  it("of the ERC-20 tokens of addresses reads by index only the rows of the page and their tokens", async () => {
    const values = [METRICS_CHAIN, ADDRESSES, tokens(isBackward ? "30" : "5"), SIZES];
    const {
      erc20_holders = 0,
      erc20_tokens = 0,
      ...rest
    } = await rowsRead(scans, holdingsStatement(ERC20_BALANCES, isBackward), values);
    expect([erc20_holders, erc20_tokens]).toEqual([SIZE * 2, SIZE * 2]);
    expect(rest).toEqual({});
  });

  it("of the NFTs of addresses reads by index the rows of the page, those with a negative balance among them", async () => {
    const values = [METRICS_CHAIN, ADDRESSES, tokens("1"), ["25", "25"], ["ERC-721", "ERC-721"], SIZES];
    const { nft_holdings = 0, ...rest } = await rowsRead(scans, holdingsStatement(NFTS, isBackward), values);
    expect(nft_holdings).toBeGreaterThanOrEqual(SIZE * 2);
    expect(nft_holdings).toBeLessThanOrEqual((SIZE + 4) * 2);
    expect(rest).toEqual({});
  });

  it("of the activity of addresses reads a row of each address and a block", async () => {
    const { evm_addresses, evm_blocks } = await rowsRead(scans, ACTIVITY, [METRICS_CHAIN, ADDRESSES]);
    expect([evm_addresses, evm_blocks]).toEqual([2, 2]);
  });
});
