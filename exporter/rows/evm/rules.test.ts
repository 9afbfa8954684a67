import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { evmRequest, exportedRows, withSource } from "../../../test/support/exported-rows.ts";
import { createExportSource } from "../source.ts";

const CHAIN = 7;
const TABLES = [
  "evm_blocks",
  "evm_transactions",
  "evm_internal_transactions",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
  "erc20_tokens",
  "nft_contracts",
  "evm_deployments",
];
const DAY = 86_400;
/** 2024-06-01T00:00:00Z. */
const START = 1_717_200_000;
const WALLET = `0x${"aa".repeat(20)}`;
const OTHER = `0x${"bb".repeat(20)}`;
const TOKEN = `0x${"cc".repeat(20)}`;
const NAMELESS = `0x${"dd".repeat(20)}`;
const LAST = 9;
/** More than one FETCH returns. */
const MANY = 700;

const config = testConfig({
  evmChains: [
    {
      chainId: CHAIN,
      network: "fuji",
      nodeUrl: "http://127.0.0.1:1",
      chainName: "Seven",
      networkToken: { priceId: "coin" },
      tokenPriceIds: { [TOKEN]: "token" },
    },
  ],
  prices: { maxAgeSeconds: 3_600 },
});

const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex");

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  for (const table of TABLES)
    await pool.query(`CREATE TABLE ${table}_${CHAIN} PARTITION OF ${table} FOR VALUES IN (${CHAIN})`);
  // A block at 00:00:00 and one at 23:59:59 of each day.
  await pool.query(
    `INSERT INTO evm_blocks (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee, gas_used,
       gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
     SELECT ${CHAIN}, n, sha256(n::text::bytea), '\\x00', ${START} + (n / 2) * ${DAY} + (n % 2) * ${DAY - 1}, 0, n, 0, 0, 0, 0, 0,
       '\\x00', '\\x00', '\\x00', 0 FROM generate_series(0, ${LAST}) n`,
  );
  await pool.query(
    `INSERT INTO evm_transactions (chain_id, block_number, block_index, tx_hash, block_hash, block_timestamp, from_address,
       to_address, tx_type, tx_status, nonce, value, gas_limit, gas_used, cumulative_gas_used, gas_price, input, log_count)
     SELECT ${CHAIN}, block_number, 0, sha256(('tx' || block_number)::bytea), block_hash, block_timestamp, $1, $2, 0,
       (block_number <> 3)::int, block_number, 1500000000000000000, 21000, 21000, 21000, 25000000000, '\\x', 0
     FROM evm_blocks WHERE block_number < ${LAST}`,
    [bytes(WALLET), bytes(OTHER)],
  );
  await pool.query(
    `INSERT INTO evm_internal_transactions (chain_id, block_number, block_index, trace_index, block_timestamp, block_hash,
       tx_hash, from_address, to_address, internal_tx_type, opcode, value, is_reverted, gas_used, gas_limit)
     SELECT chain_id, block_number, block_index, i, block_timestamp, block_hash, tx_hash, $1, $2,
       CASE i WHEN 2 THEN 'UNKNOWN' ELSE 'CALL' END, 'CALL', 5, true, 1, 2
     FROM evm_transactions, generate_series(1, 2) i WHERE block_number = 3`,
    [bytes(OTHER), bytes(WALLET)],
  );
  await pool.query(
    `INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash,
       from_address, to_address, token_address, value)
     SELECT ${CHAIN}, block_number, i, 1, block_timestamp, block_hash, '\\x01', $1, $2,
       CASE i WHEN 0 THEN $3::bytea ELSE $4::bytea END, 2500000 FROM evm_blocks, generate_series(0, ${MANY - 1}) i
     WHERE block_number = ${LAST}`,
    [bytes(OTHER), bytes(WALLET), bytes(TOKEN), bytes(NAMELESS)],
  );
  await pool.query(`INSERT INTO erc20_tokens VALUES (${CHAIN}, $1, 0, 'INDEXED', 'Token', 'TKN', 6)`, [bytes(TOKEN)]);
  await pool.query(`INSERT INTO erc20_tokens VALUES (${CHAIN}, $1, 0, 'PENDING', '', '', 0)`, [bytes(NAMELESS)]);
  await pool.query(
    `INSERT INTO prices VALUES ('coin', 'usd', ${START - 3_600}, 20.123456789), ('coin', 'usd', ${START + DAY - 3_601}, 9),
       ('coin', 'eur', ${START + DAY}, 8), ('token', 'usd', ${START + 5 * DAY - 1}, 0.9999),
       ('coin', 'usd', ${START + 2 * DAY - 1}, 10)`,
  );
  await pool.query(
    `INSERT INTO chain_heads SELECT ${CHAIN}, '\\x00', 0, block_number, block_hash, block_timestamp, 0, 1 FROM evm_blocks
     WHERE block_number = ${LAST}`,
  );
});
afterAll(() => database[Symbol.asyncDispose]());
afterEach(() => database.pool.query("DELETE FROM chain_capabilities; DELETE FROM untraced_ranges"));

const request = (more: object = {}) => evmRequest({ addresses: [WALLET], chainIds: [String(CHAIN)], ...more });
const rowsOf = (more?: object) => exportedRows(database.pool, request(more), config);
const blocksOf = async (more: object) => (await rowsOf(more)).map(({ BlockNumber }) => Number(BlockNumber));

describe("an export of EVM transactions", () => {
  it("has the rows of the first day from 00:00:00 and of the last day to 23:59:59 UTC", async () => {
    expect(await blocksOf({ firstDate: "2024-06-02", lastDate: "2024-06-02" })).toEqual([2, 3, 3]);
    expect(await blocksOf({ lastDate: "2024-06-01" })).toEqual([0, 1]);
    expect(new Set(await blocksOf({ firstDate: "2024-06-05" }))).toEqual(new Set([8, 9]));
    expect(await blocksOf({ firstDate: "2024-06-06" })).toEqual([]);
    expect(await blocksOf({ lastDate: "2024-05-31" })).toEqual([]);
  });

  it("ends before a day, and counts the rows of all days", async () => {
    await withSource(database.pool, request({ firstDate: "2024-06-02" }), config, async ({ rows, countDays }) => {
      expect((await rows({ beforeDate: "2024-06-03" })).map(({ BlockNumber }) => BlockNumber)).toEqual(["2", "3", "3"]);
      expect(await countDays()).toEqual([
        { date: "2024-06-02", rows: 3 },
        { date: "2024-06-03", rows: 2 },
        { date: "2024-06-04", rows: 2 },
        { date: "2024-06-05", rows: 1 + MANY },
      ]);
    });
  });

  it("says where reading can start again only at the end of a block, and never holds a large block as a whole", async () => {
    await withSource(database.pool, request(), config, async ({ batches }) => {
      const all = await batches();
      const blockOf = (row: readonly string[] | undefined) => row?.[3];
      for (const [index, { rows, position }] of all.entries()) {
        const last = blockOf(rows.at(-1));
        const isEnd = last !== blockOf(all[index + 1]?.rows[0]);
        expect({ position, isSmall: rows.length < MANY }).toEqual({
          position: isEnd ? `${CHAIN}:${last}` : null,
          isSmall: true,
        });
      }
      expect(all.map(({ position }) => position)).toContain(null);
      const rows = all.flatMap(({ rows }) => rows);
      expect(rows.length).toBe(LAST + 1 + MANY);
      expect(new Set(rows.map((row) => row.join())).size).toBe(rows.length);
      const after =
        all.findLast(({ position }, index) => position !== null && index < all.length - 1)?.position ?? null;
      const rest = (await batches({ after })).flatMap(({ rows }) => rows);
      expect(rest).toEqual(rows.slice(-MANY));
    });
  });

  it("has reverted internal transactions, marked, and none of other kinds", async () => {
    const found = (await rowsOf()).filter(({ RowType }) => RowType === "INTERNAL");
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ TraceIndex: "1", IsReverted: "true", Direction: "IN", Value: "5", Fee: "" });
  });

  it("has no name, decimals and whole amount of a token whose metadata is not indexed", async () => {
    const [known, unknown] = (await rowsOf()).filter(({ RowType }) => RowType === "ERC20");
    expect(known).toMatchObject({ TokenSymbol: "TKN", TokenDecimals: "6", Value: "2500000", Amount: "2.5" });
    expect(unknown).toMatchObject({ TokenSymbol: "", TokenDecimals: "", Value: "2500000", Amount: "", ValueUsd: "" });
  });

  it("has the latest price at or before the block that is not too old, in US dollars", async () => {
    const rows = await rowsOf();
    expect(rows.slice(0, 3).map(({ PriceUsd, ValueUsd, FeeUsd }) => [PriceUsd, ValueUsd, FeeUsd])).toEqual([
      ["20.123456789", "30.185185", "0.010565"],
      ["9", "13.5", "0.004725"],
      ["", "", ""],
    ]);
    expect(rows.find(({ TokenSymbol }) => TokenSymbol === "TKN")).toMatchObject({
      PriceUsd: "0.9999",
      ValueUsd: "2.49975",
    });
  });

  it("has the fee in US dollars of a failed transaction, but no value of what it and its calls did not transfer", async () => {
    const rows = await rowsOf({ firstDate: "2024-06-02", lastDate: "2024-06-03" });
    const usd = rows.map(({ BlockNumber, RowType, PriceUsd, ValueUsd, FeeUsd }) =>
      [BlockNumber, RowType, PriceUsd, ValueUsd, FeeUsd].join(" "),
    );
    expect(usd.slice(1, 4)).toEqual(["3 NATIVE 10  0.00525", "3 INTERNAL 10  ", "4 NATIVE 10 15 0.00525"]);
  });

  it("has the direction from the point of view of all exported addresses", async () => {
    const directions = async (...addresses: string[]) =>
      new Set((await rowsOf({ addresses })).map((row) => row["Direction"]));
    expect(await directions(WALLET, OTHER)).toEqual(new Set(["SELF"]));
    expect(await directions(WALLET)).toEqual(new Set(["OUT", "IN"]));
  });

  it("leaves out internal transactions if tracing is off, and says so", async () => {
    await database.pool.query(
      `INSERT INTO chain_capabilities VALUES (${CHAIN}, 'traces', false, 'traces are switched off')`,
    );
    await withSource(database.pool, request(), config, async ({ source, client, bounds, rows }) => {
      expect((await rows()).filter(({ RowType }) => RowType === "INTERNAL")).toEqual([]);
      expect(await source.readWarnings?.(client, bounds)).toEqual([
        "the file has no internal transactions of chain 7: traces are switched off",
      ]);
    });
  });

  it("fails if tracing is on and blocks of the range are not traced", async () => {
    await database.pool.query(`INSERT INTO untraced_ranges VALUES (${CHAIN}, 2, 3)`);
    await expect(rowsOf()).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("missing in blocks from 2 to 3"),
    });
    expect(await blocksOf({ lastDate: "2024-06-01" })).toEqual([0, 1]);
  });

  it("has no row above the bounds, which hold until their block is replaced", async () => {
    await withSource(database.pool, request(), config, async ({ source, client, bounds }) => {
      const earlier = bounds.map((bound) => ({ ...bound, blockNumber: "3" }));
      const days = await source.countDays(client, earlier);
      expect(days.map(({ date }) => date)).toEqual(["2024-06-01", "2024-06-02"]);
      expect([
        await source.areBlocksStillIndexed(client, bounds),
        await source.areBlocksStillIndexed(client, earlier),
      ]).toEqual([true, false]);
    });
  });

  it("stops when it is cancelled, and leaves no cursor if the reader stops early", async () => {
    await withSource(database.pool, request(), config, async ({ source, client, bounds }) => {
      const abort = new AbortController();
      const options = { after: null, beforeDate: null, signal: abort.signal };
      for await (const _ of source.read(client, bounds, options)) break;
      expect((await client.query("SELECT name FROM pg_cursors WHERE name <> ''")).rows).toEqual([]);
      abort.abort(new Error("cancelled"));
      await expect(source.read(client, bounds, options)[Symbol.asyncIterator]().next()).rejects.toThrow("cancelled");
    });
  });

  it("is refused for a chain that is not configured any more, and fails for one without blocks", async () => {
    const other = request({ chainIds: ["8"] });
    expect(() => createExportSource(other, { config })).toThrow('includeChains: chain "8" is not configured any more');
    const [chain] = config.evmChains;
    const more = { ...config, evmChains: [{ ...(chain as NonNullable<typeof chain>), chainId: 8 }] };
    await expect(exportedRows(database.pool, other, more)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
