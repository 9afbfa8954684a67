import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allOf, argsOf } from "../../../test/support/lists/walk.ts";
import { InternalTransactionsArgs } from "./types.ts";

const NOBODY = `0x${"1".repeat(40)}`;

let opened: OpenedEvm;
/** An address that called, was called, and called itself. */
let address: string;

beforeAll(async () => {
  opened = await openEvm();
  [address = ""] = await opened.values(
    `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} GROUP BY 1
     HAVING bool_or(from_address = to_address) ORDER BY count(DISTINCT block_number) DESC LIMIT 1`,
  );
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<InternalTransactionsArgs>) {
  const args = Object.assign(new InternalTransactionsArgs(), { chainId: C_CHAIN, address, ...asked });
  return opened.context().internalTransactions.page(args, SERVICE_WORK);
}

type Place = { readonly blockNumber: string; readonly blockIndex: number; readonly traceIndex: number };
const places = (found: readonly Place[]) =>
  found.map(({ blockNumber, blockIndex, traceIndex }) => `${blockNumber} ${blockIndex} ${traceIndex}`);

const PLACE = "block_number || ' ' || block_index || ' ' || trace_index AS value";
const isSide = (who = address) => `'\\x${who.slice(2)}' IN (from_address, to_address)`;

function placesWhere(where: string): Promise<string[]> {
  return opened.values(
    `SELECT ${PLACE} FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} AND opcode <> 'SELFDESTRUCT' AND ${where}
     ORDER BY block_number DESC, block_index DESC, trace_index DESC`,
  );
}

/** Changes the trace coverage for the duration of a task, to that of a node that refused traces of some or all blocks. */
async function whileTracesAre(rows: string, task: () => Promise<void>): Promise<void> {
  const { pool } = opened.database;
  await pool.query(rows);
  try {
    await task();
  } finally {
    await pool.query("DELETE FROM untraced_ranges; DELETE FROM trace_retries");
    await pool.query(`UPDATE chain_capabilities SET is_on = true, reason = NULL WHERE chain_id = ${C_CHAIN}`);
  }
}

const MISSING = `INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 3, 9), (${C_CHAIN}, 100, 120), (760012, 0, 234)`;
const OFF = `UPDATE chain_capabilities SET is_on = false, reason = 'the node has none' WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`;

describe("the store of internal transactions", () => {
  it.each([1, 3, 100])(
    "E10 pages through an address's internal transactions with a page size of %d, calls of itself once",
    async (pageSize) => {
      const found = await allOf((at) => page(argsOf(at)), pageSize);
      expect(places(found)).toEqual(await placesWhere(isSide()));
      expect(found.some(({ from, to }) => from.address === to.address)).toBe(true);
    },
  );

  it("E10 pages within a transaction of hundreds of calls", async () => {
    const [busy = ""] = await opened.values(
      `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const found = await allOf((at) => page({ address: busy, ...argsOf(at) }), 50);
    expect(found).toHaveLength(391);
    expect(places(found)).toEqual(await placesWhere(isSide(busy)));
  });

  it("E10 leaves out SELFDESTRUCT, which the list of the transaction has", async () => {
    const [destroyer = ""] = await opened.values(
      `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} AND opcode = 'SELFDESTRUCT' LIMIT 1`,
    );
    expect(places((await page({ address: destroyer })).nodes)).toEqual(await placesWhere(isSide(destroyer)));
    const [place = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} AND from_address = '\\x${destroyer.slice(2)}' AND opcode = 'SELFDESTRUCT'`,
    );
    const { load } = opened.context();
    const parent = [C_CHAIN, ...place.split(" ")];
    const below = await load.internalTransactionsOfTransaction(parent, { size: 100 });
    expect(below.nodes.map(({ opcode, internalTxType }) => [opcode, internalTxType])).toContainEqual([
      "SELFDESTRUCT",
      "UNKNOWN",
    ]);
    const whole = await load.wholeLists.internalTransactions(parent);
    expect(whole).toEqual(below.nodes.filter(({ opcode }) => opcode !== "SELFDESTRUCT"));
  });

  it("E10 returns the zero address for a failed creation, which is not found by that address", async () => {
    const [creator = ""] = await opened.values(
      `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} AND to_address IS NULL LIMIT 1`,
    );
    const zero = `0x${"0".repeat(40)}`;
    const failed = (await page({ address: creator, first: 100 })).nodes.filter(({ to }) => to.address === zero);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.every(({ isReverted, internalTxType }) => isReverted && internalTxType.startsWith("CREATE"))).toBe(
      true,
    );
    expect((await page({ address: zero })).nodes).toEqual([]);
  });

  it("E10 needs two statements, also for an empty page", async () => {
    expect(await statementsOf(() => page({ first: 100 }))).toHaveLength(2);
    expect(await statementsOf(() => page({ first: 1 }))).toHaveLength(2);
    expect(await statementsOf(() => page({ address: NOBODY }))).toHaveLength(2);
  });

  it.each([
    ["fromBlock", { filter: { fromBlock: "9".repeat(78) } }],
    ["toBlock", { filter: { toBlock: "0" } }],
    ["both", { filter: { fromBlock: "60", toBlock: "50" } }],
  ])("E10 returns an empty page for a range of blocks without calls (%s)", async (_, range) => {
    expect(await page(range)).toMatchObject({ nodes: [], nextPageToken: null });
  });

  it("E10 rejects a page token with another address, startBlock or endBlock", async () => {
    const { nextPageToken } = await page({ first: 1 });
    for (const other of [{ address: NOBODY }, { filter: { fromBlock: "1" } }, { filter: { toBlock: "200" } }])
      await expect(page({ ...other, after: nextPageToken })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  });

  it("E10 fails if the page covers untraced blocks and names them, also if the page would be empty", async () => {
    await whileTracesAre(MISSING, async () => {
      const missing = (from: number, to: number) => ({
        code: "UNAVAILABLE",
        message: expect.stringMatching(
          `^internal transactions of chain ${C_CHAIN} are missing in blocks from ${from} to ${to}: .moraine backfill traces --chain ${C_CHAIN}`,
        ),
      });
      await expect(page({ address: NOBODY })).rejects.toMatchObject(missing(3, 120));
      const whole = (fromBlock: string, toBlock: string) => page({ address: NOBODY, filter: { fromBlock, toBlock } });
      await expect(whole("5", "50")).rejects.toMatchObject(missing(5, 9));
      await expect(whole("9", "101")).rejects.toMatchObject(missing(9, 100));
      await expect(whole("120", "9".repeat(78))).rejects.toMatchObject(missing(120, 120));
      expect((await page({ filter: { fromBlock: "10", toBlock: "100" } })).nodes.length).toBeGreaterThan(0);
      for (const complete of [{ fromBlock: "121" }, { toBlock: "3" }, { fromBlock: "50", toBlock: "50" }])
        expect((await page({ filter: complete })).nodes).toEqual([]);
    });
  });

  it.each([1, 2, 5, 100])(
    "E10 answers the pages before and after an untraced block, and fails for the page that covers it, with a page size of %d",
    async (pageSize) => {
      const blocks = (await allOf((at) => page(argsOf(at)), 100)).map((row) => Number(row.blockNumber));
      const newest = blocks[0] ?? 0;
      const oldest = blocks.at(-1) ?? 0;
      for (const untraced of [newest + 1, newest - 1, oldest + 1, oldest - 1].filter((at) => !blocks.includes(at)))
        await whileTracesAre(`INSERT INTO untraced_ranges VALUES (${C_CHAIN}, ${untraced}, ${untraced})`, async () => {
          const before = blocks.filter((at) => at > untraced).length;
          // A page that ends with a row of an older block, or with the last row, covers the block.
          const answered = before < blocks.length ? Math.floor(before / pageSize) : Math.ceil(before / pageSize) - 1;
          let cursor: string | null = null;
          for (let i = 0; i < answered; i++) {
            const { nodes, nextPageToken }: Awaited<ReturnType<typeof page>> = await page(
              argsOf({ size: pageSize, cursor }),
            );
            expect(nodes).toHaveLength(pageSize);
            cursor = nextPageToken;
          }
          const message = expect.stringContaining(`are missing in blocks from ${untraced} to ${untraced}`);
          await expect(page(argsOf({ size: pageSize, cursor }))).rejects.toMatchObject({
            code: "UNAVAILABLE",
            message,
          });
          const after = await page({ first: 100, filter: { toBlock: String(untraced) } });
          expect(after.nodes.map((row) => Number(row.blockNumber))).toEqual(
            blocks.filter((at) => at < untraced).slice(0, 100),
          );
        });
    },
  );

  it("E10 gives the reason of the untraced block, and says that it is requested again", async () => {
    const retry = `INSERT INTO trace_retries VALUES (${C_CHAIN}, 9, 'the node was too slow', 1, 5)`;
    await whileTracesAre(`${MISSING}; ${retry}`, async () => {
      const message = expect.stringMatching(
        /in blocks from 3 to 120 \(the node was too slow\): the indexer requests them again; .moraine backfill/,
      );
      await expect(page({ address: NOBODY })).rejects.toMatchObject({ code: "UNAVAILABLE", message });
      await expect(page({ address: NOBODY, filter: { fromBlock: "100" } })).rejects.toMatchObject({
        message: expect.stringMatching(/in blocks from 100 to 120: .moraine backfill/),
      });
    });
  });

  it("E10 returns an empty page for an empty range, also among untraced blocks", async () => {
    await whileTracesAre(MISSING, async () => {
      for (const [fromBlock, toBlock] of [
        ["5", "5"],
        ["9", "4"],
        ["110", "105"],
        ["9".repeat(78), "110"],
      ] as const)
        expect(await page({ filter: { fromBlock, toBlock } })).toMatchObject({ nodes: [], nextPageToken: null });
    });
  });

  it("E10 returns the reason why the node refused to trace blocks", async () => {
    const refusal = `UPDATE chain_capabilities SET reason = 'state unavailable' WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`;
    await whileTracesAre(`${MISSING}; ${refusal}`, async () => {
      const message = expect.stringMatching(
        / in blocks from 3 to 120 \(state unavailable\): .*still has the states of these blocks$/,
      );
      await expect(page({ address: NOBODY })).rejects.toMatchObject({ code: "UNAVAILABLE", message });
    });
  });

  it("E10 fails for a chain that is not traced, with the reason", async () => {
    await whileTracesAre(OFF, async () => {
      const message = `internal transactions of chain ${C_CHAIN} are not served: the node has none`;
      await expect(page({})).rejects.toMatchObject({ code: "NOT_FOUND", message });
      await expect(page({ address: NOBODY, filter: { fromBlock: "200" } })).rejects.toMatchObject({
        code: "NOT_FOUND",
        message,
      });
    });
  });

  it("returns null instead of a list for a transaction in an untraced block", async () => {
    const [txHash = ""] = await opened.values(
      `SELECT '0x' || encode(tx_hash, 'hex') AS value FROM evm_internal_transactions WHERE chain_id = ${C_CHAIN} AND block_number = 38 LIMIT 1`,
    );
    const ask = () =>
      opened.ask(
        `{ evmTransaction(chainId: "${C_CHAIN}", txHash: "${txHash}") { internalTransactions(first: 1) { transactions: nodes { blockNumber } } } }`,
      );
    const listed = { internalTransactions: { transactions: [{ blockNumber: "38" }] } };
    expect(await ask()).toEqual({ data: { evmTransaction: listed } });
    await whileTracesAre(`INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 38, 38)`, async () => {
      expect(await ask()).toEqual({ data: { evmTransaction: { internalTransactions: null } } });
    });
    await whileTracesAre(MISSING, async () => {
      expect(await ask()).toEqual({ data: { evmTransaction: listed } });
    });
  });

  it("returns the same row from the page and by key", async () => {
    const [newest] = (await page({ first: 1 })).nodes;
    const { blockNumber = "", blockIndex = 0, traceIndex = 0 } = newest ?? {};
    const { load } = opened.context();
    expect(await load.internalTransaction({ chainId: C_CHAIN, blockNumber, blockIndex, traceIndex })).toEqual(newest);
    const parent = [C_CHAIN, blockNumber, String(blockIndex)];
    expect(await load.wholeLists.internalTransactions(parent)).toContainEqual(newest);
  });
});
