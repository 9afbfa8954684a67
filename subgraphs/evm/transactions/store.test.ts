import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { allOf, argsOf } from "../../../test/support/lists/walk.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { EvmTransactionsArgs } from "./types.ts";

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<EvmTransactionsArgs>) {
  const args = Object.assign(new EvmTransactionsArgs(), { chainId: C_CHAIN, ...asked });
  return opened.context().transactions.page(args, SERVICE_WORK);
}

const hashesWhere = (where: string, order: string): Promise<string[]> =>
  opened.values(
    `SELECT '0x' || encode(tx_hash, 'hex') AS value FROM evm_transactions WHERE chain_id = ${C_CHAIN} AND ${where} ORDER BY ${order}`,
  );

const NEWEST_FIRST = "block_number DESC, block_index DESC";

describe("the transaction store", () => {
  it.each([7, 100])(
    "pages through all transactions with a page size of %d, newest first, each once",
    async (pageSize) => {
      const transactions = await allOf((at) => page(argsOf(at)), pageSize);
      expect(transactions.map(({ txHash }) => txHash)).toEqual(await hashesWhere("true", NEWEST_FIRST));
    },
  );

  it.each([1, 100])(
    "pages through what an address sent or received with a page size of %d, transactions to itself once",
    async (pageSize) => {
      const [address = ""] = await opened.values(
        `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_transactions WHERE chain_id = ${C_CHAIN} AND from_address = to_address LIMIT 1`,
      );
      const { transactionsOfAddress } = opened.context().load;
      const key = [C_CHAIN, bytea(address), ...rangeOf({})];
      const transactions = await allOf((at) => transactionsOfAddress.BOTH.ofChain(key, at), pageSize);
      const bytes = `'\\x${address.slice(2)}'`;
      const expected = await hashesWhere(`(from_address = ${bytes} OR to_address = ${bytes})`, NEWEST_FIRST);
      expect(expected.length).toBeGreaterThan(5);
      expect(transactions.map(({ txHash }) => txHash)).toEqual(expected);
    },
  );

  it("lists a call that an address sent to itself once in the list of each side and of both", async () => {
    const { rows } = await opened.database.pool.query<{ address: string; hash: string }>(
      `UPDATE evm_transactions SET input = '\\x01020304' WHERE chain_id = ${C_CHAIN} AND from_address = to_address
       RETURNING '\\x' || encode(from_address, 'hex') AS address, '0x' || encode(tx_hash, 'hex') AS hash`,
    );
    const address = rows[0]?.address ?? "";
    const expected = rows.filter((row) => row.address === address).map(({ hash }) => hash);
    expect(expected.length).toBeGreaterThan(0);
    const { callsOfMethod } = opened.context().load;
    const key = [C_CHAIN, "\\x01020304", address, ...rangeOf({})];
    for (const list of [callsOfMethod.SENT, callsOfMethod.RECEIVED, callsOfMethod.BOTH]) {
      const calls = await allOf((at) => list.ofChain(key, at), 1);
      expect(calls.map(({ txHash }) => txHash).sort()).toEqual(expected.toSorted());
    }
  });

  it("rejects a page token of a list with another filter, and accepts it with an empty filter", async () => {
    const ask = (args: string) =>
      opened.ask(`{ evmTransactions(chainId: "${C_CHAIN}", first: 1, ${args}) { pageInfo { endCursor } } }`);
    const { nextPageToken } = await page({ first: 1 });
    const after = `after: "${nextPageToken}"`;
    expect((await ask(`${after}, filter: { toTime: null }`)).errors).toBeUndefined();
    expect((await ask(`${after}, filter: { fromBlock: 1 }`)).errors).toMatchObject([
      { extensions: { code: "INVALID_PARAMETER" } },
    ]);
  });

  it("pages through the transactions of a block, in the block's order", async () => {
    const [blockNumber = ""] = await opened.values(
      `SELECT block_number AS value FROM evm_transactions WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const { load } = opened.context();
    const transactions = await allOf((at) => load.transactionsOfBlock([C_CHAIN, blockNumber], at), 3);
    expect(transactions.map(({ txHash }) => txHash)).toEqual(
      await hashesWhere(`block_number = ${blockNumber}`, "block_index"),
    );
  });

  it("rejects a page token of another block's transactions", async () => {
    const { load } = opened.context();
    const token = (await load.transactionsOfBlock([C_CHAIN, "46"], { size: 1 })).nextPageToken;
    const other = load.transactionsOfBlock([L1, "46"], { cursor: token ?? "none", size: 1 });
    await expect(other).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  });

  it("returns null as `to` of a creation, and metadata of addresses", async () => {
    const [txHash = ""] = await hashesWhere("to_address IS NULL AND tx_status = 1", NEWEST_FIRST);
    const fields = "txStatus to { address } from { address name } contractAddress baseFeePerGas block { baseFee }";
    const { data } = await opened.ask(`{ evmTransaction(chainId: "${C_CHAIN}", txHash: "${txHash}") { ${fields} } }`);
    expect(data?.["evmTransaction"]).toMatchObject({
      txStatus: "SUCCESS",
      to: null,
      contractAddress: expect.any(String),
    });
    expect(data).toMatchObject({ evmTransaction: { baseFeePerGas: "1", block: { baseFee: "1" } } });
  });

  it("returns the same row from the page and by key", async () => {
    const [newest] = (await page({ first: 1 })).nodes;
    const { txHash = "" } = newest ?? {};
    expect(await opened.context().load.transaction({ chainId: C_CHAIN, txHash })).toEqual(newest);
  });
});
