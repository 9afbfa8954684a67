import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allOf } from "../../../test/support/lists/walk.ts";

/** Created by a contract, destroyed in the same transaction, created again in the next one. */
const TWICE = "0x4faab96c58773472801912cfc9b4e6da495c2b9b";
const NOBODY = `0x${"1".repeat(40)}`;

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const latest = (address: string, chainId = C_CHAIN) =>
  opened.context().deployments.latest({ chainId, address }, SERVICE_WORK);
const hashes = (where: string): Promise<string[]> =>
  opened.values(
    `SELECT '0x' || encode(tx_hash, 'hex') AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN} AND ${where} ORDER BY block_number DESC, block_index DESC, trace_index DESC`,
  );
const isTwice = `address = '\\x${TWICE.slice(2)}'`;

async function whileQuery(rows: string, undo: string, task: () => Promise<void>): Promise<void> {
  await opened.database.pool.query(rows);
  try {
    await task();
  } finally {
    await opened.database.pool.query(undo);
  }
}

describe("the store of deployments", () => {
  it("E6 finds the latest of several deployments with its transaction, in one statement", async () => {
    const [newest = "", first = "", ...others] = await hashes(isTwice);
    expect([newest === first, others]).toEqual([false, []]);
    let found: Awaited<ReturnType<typeof latest>> | undefined;
    const statements = await statementsOf(async () => {
      found = await latest(TWICE);
    });
    expect(statements).toHaveLength(1);
    expect(found).toMatchObject({ address: TWICE, txHash: newest, opcode: "CREATE2", isTraced: true });
    const { transaction } = found ?? {};
    expect(transaction).toMatchObject({ txHash: newest, txStatus: 1, baseFee: "1" });
    const { load } = opened.context();
    expect(transaction).toMatchObject({ ...(await load.transaction({ chainId: C_CHAIN, txHash: newest })) });
  });

  it("E6 fails for an address without a deployment, for an account, and for a contract of another chain", async () => {
    const [account = ""] = await opened.values(
      `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_transactions WHERE chain_id = ${C_CHAIN} LIMIT 1`,
    );
    for (const address of [NOBODY, account])
      await expect(latest(address)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringMatching(
          new RegExp(`^address ${address} is not a contract that was created on chain ${C_CHAIN}$`, "i"),
        ),
      });
    await expect(latest(TWICE, L1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(latest(TWICE, "1")).rejects.toMatchObject({ message: /is not a supported chain/ });
  });

  it("E6 names the untraced blocks if it finds no deployment", async () => {
    const missing = `INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 3, 9), (${C_CHAIN}, 100, 120)`;
    await whileQuery(missing, `DELETE FROM untraced_ranges WHERE chain_id = ${C_CHAIN}`, async () => {
      const message = /; contracts created by contracts in blocks from 3 to 120 are not indexed yet$/;
      await expect(latest(NOBODY)).rejects.toMatchObject({ code: "NOT_FOUND", message });
      expect(await latest(TWICE)).toMatchObject({ isTraced: true });
    });
    const off = `UPDATE chain_capabilities SET is_on = false, reason = 'the node has none' WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`;
    const on = `UPDATE chain_capabilities SET is_on = true, reason = NULL WHERE chain_id = ${C_CHAIN}`;
    await whileQuery(off, on, async () => {
      const message = /; contracts created by contracts are not indexed: the node has none$/;
      await expect(latest(NOBODY)).rejects.toMatchObject({ code: "NOT_FOUND", message });
    });
  });

  it("E6 returns null for the internal transactions of an untraced block, and all other fields", async () => {
    const ask = () =>
      opened.ask(
        `{ deployment(chainId: "${C_CHAIN}", address: "${TWICE}") { internalTransactions { opcode } erc20Transfers { value } transaction { blockNumber } } }`,
      );
    const { blockNumber } = await latest(TWICE);
    const rest = { erc20Transfers: [], transaction: { blockNumber } };
    expect(await ask()).toEqual({ data: { deployment: { ...rest, internalTransactions: [{ opcode: "CREATE2" }] } } });
    const missing = `INSERT INTO untraced_ranges VALUES (${C_CHAIN}, ${blockNumber}, ${blockNumber})`;
    await whileQuery(missing, `DELETE FROM untraced_ranges WHERE chain_id = ${C_CHAIN}`, async () => {
      expect(await ask()).toEqual({ data: { deployment: { ...rest, internalTransactions: null } } });
      const below = `{ contract(chainId: "${C_CHAIN}", address: "${TWICE}") { deployment { internalTransactions { opcode } } } }`;
      expect((await opened.ask(below)).data).toEqual({ contract: { deployment: { internalTransactions: null } } });
    });
  });

  it("E6 needs no statement for an empty list", async () => {
    const ask = (address: string) =>
      statementsOf(() =>
        opened.ask(
          `{ deployment(chainId: "${C_CHAIN}", address: "${address}") { erc20Transfers { value } erc721Transfers { logIndex } erc1155Transfers { value } teleporterMessageInfo { direction } } }`,
        ),
      );
    const [withoutLogs = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM evm_deployments d JOIN evm_transactions t USING (chain_id, tx_hash)
       WHERE chain_id = ${C_CHAIN} AND log_count = 0 LIMIT 1`,
    );
    expect(await ask(withoutLogs)).toHaveLength(1);
    const [token = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM evm_deployments d WHERE chain_id = ${C_CHAIN} AND EXISTS (
         SELECT FROM erc20_transfers t WHERE t.chain_id = d.chain_id AND t.tx_hash = d.tx_hash) LIMIT 1`,
    );
    expect(await ask(token)).toHaveLength(2);
  });

  it("pages through the deployments of a contract, newest first", async () => {
    const { load } = opened.context();
    const parent = [C_CHAIN, `\\x${TWICE.slice(2)}`];
    const found = await allOf((at) => load.deploymentsOfContract(parent, at), 1);
    expect(found.map(({ txHash }) => txHash)).toEqual(await hashes(isTwice));
  });

  it("pages through the deployments in a transaction, in call tree order", async () => {
    const [place = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const [block = "", index = ""] = place.split(" ");
    const { load } = opened.context();
    const found = await allOf((at) => load.deploymentsOfTransaction([C_CHAIN, block, index], at), 1);
    const expected = await opened.values(
      `SELECT trace_index AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN} AND block_number = ${block} AND block_index = ${index} ORDER BY trace_index`,
    );
    expect(expected.length).toBeGreaterThan(1);
    expect(found.map(({ traceIndex }) => String(traceIndex))).toEqual(expected);
  });

  it("returns the same deployment from the query and by key", async () => {
    const { transaction: _, contents: __, isTraced: ___, ...found } = await latest(TWICE);
    const { chainId, address, blockNumber, blockIndex, traceIndex } = found;
    const { load } = opened.context();
    expect(await load.deployment({ chainId, address, blockNumber, blockIndex, traceIndex })).toEqual(found);
  });
});
