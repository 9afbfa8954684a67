import { allOf, C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";

/** Made by a contract, gone in the same transaction, made again in the next. */
const TWICE = "0x4faab96c58773472801912cfc9b4e6da495c2b9b";
const NOBODY = `0x${"1".repeat(40)}`;

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const last = (address: string, chainId = C_CHAIN) => opened.context().deployments.last({ chainId, address });
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
  it("E6 finds the last of several with its transaction, in one statement", async () => {
    const [newest = "", first = "", ...others] = await hashes(isTwice);
    expect([newest === first, others]).toEqual([false, []]);
    let found: Awaited<ReturnType<typeof last>> | undefined;
    const statements = await statementsOf(async () => {
      found = await last(TWICE);
    });
    expect(statements).toHaveLength(1);
    expect(found).toMatchObject({ address: TWICE, txHash: newest, opcode: "CREATE2", isTraced: true });
    const { native } = found ?? {};
    expect(native).toMatchObject({ txHash: newest, txStatus: 1, baseFee: "1" });
    const { load } = opened.context();
    expect(native).toMatchObject({ ...(await load.transaction({ chainId: C_CHAIN, txHash: newest })) });
  });

  it("E6 refuses an address that nothing made, of an account, and on another chain", async () => {
    const [account = ""] = await opened.values(
      `SELECT '0x' || encode(from_address, 'hex') AS value FROM evm_transactions WHERE chain_id = ${C_CHAIN} LIMIT 1`,
    );
    for (const address of [NOBODY, account])
      await expect(last(address)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringMatching(
          new RegExp(`^address ${address} is not a contract that was created on chain ${C_CHAIN}$`, "i"),
        ),
      });
    await expect(last(TWICE, L1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(last(TWICE, "1")).rejects.toMatchObject({ message: /is not a supported chain/ });
  });

  it("E6 says which creations nobody looked for when it finds none", async () => {
    const missing = `INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 3, 9), (${C_CHAIN}, 100, 120)`;
    await whileQuery(missing, `DELETE FROM untraced_ranges WHERE chain_id = ${C_CHAIN}`, async () => {
      const message = /; contracts made by contracts in blocks from 3 to 120 are not known yet$/;
      await expect(last(NOBODY)).rejects.toMatchObject({ code: "NOT_FOUND", message });
      expect(await last(TWICE)).toMatchObject({ isTraced: true });
    });
    const off = `UPDATE chain_capabilities SET is_on = false, reason = 'the node has none' WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`;
    const on = `UPDATE chain_capabilities SET is_on = true, reason = NULL WHERE chain_id = ${C_CHAIN}`;
    await whileQuery(off, on, async () => {
      const message = /; contracts made by contracts may be unknown: the node has none$/;
      await expect(last(NOBODY)).rejects.toMatchObject({ code: "NOT_FOUND", message });
    });
  });

  it("E6 has no list of internal transactions where the block has no call trees, and all else", async () => {
    const ask = () =>
      opened.ask(
        `{ deployment(chainId: "${C_CHAIN}", address: "${TWICE}") { internalTransactions { opcode } erc20Transfers { value } transaction { blockNumber } } }`,
      );
    const { blockNumber } = await last(TWICE);
    const rest = { erc20Transfers: [], transaction: { blockNumber } };
    expect(await ask()).toEqual({ data: { deployment: { ...rest, internalTransactions: [{ opcode: "CREATE2" }] } } });
    const missing = `INSERT INTO untraced_ranges VALUES (${C_CHAIN}, ${blockNumber}, ${blockNumber})`;
    await whileQuery(missing, `DELETE FROM untraced_ranges WHERE chain_id = ${C_CHAIN}`, async () => {
      expect(await ask()).toEqual({ data: { deployment: { ...rest, internalTransactions: null } } });
      const below = `{ contract(chainId: "${C_CHAIN}", address: "${TWICE}") { deployment { internalTransactions { opcode } } } }`;
      expect((await opened.ask(below)).data).toEqual({ contract: { deployment: { internalTransactions: null } } });
    });
  });

  it("E6 asks for no list that is empty", async () => {
    const ask = (address: string) =>
      statementsOf(() =>
        opened.ask(
          `{ deployment(chainId: "${C_CHAIN}", address: "${address}") { erc20Transfers { value } erc721Transfers { logIndex } erc1155Transfers { value } teleporterMessageInfo { direction } } }`,
        ),
      );
    const [silent = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM evm_deployments d JOIN evm_transactions t USING (chain_id, tx_hash)
       WHERE chain_id = ${C_CHAIN} AND log_count = 0 LIMIT 1`,
    );
    expect(await ask(silent)).toHaveLength(1);
    const [token = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM evm_deployments d WHERE chain_id = ${C_CHAIN} AND EXISTS (
         SELECT FROM erc20_transfers t WHERE t.chain_id = d.chain_id AND t.tx_hash = d.tx_hash) LIMIT 1`,
    );
    expect(await ask(token)).toHaveLength(3);
  });

  it("pages through the times that a contract was made, newest first", async () => {
    const { load } = opened.context();
    const parent = [C_CHAIN, `\\x${TWICE.slice(2)}`];
    const found = await allOf((pageToken) => load.deploymentsOfContract(parent, { pageToken, size: 1 }), 1);
    expect(found.map(({ txHash }) => txHash)).toEqual(await hashes(isTwice));
  });

  it("pages through what a transaction made, in its order", async () => {
    const [place = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const [block = "", index = ""] = place.split(" ");
    const { load } = opened.context();
    const found = await allOf(
      (pageToken) => load.deploymentsOfTransaction([C_CHAIN, block, index], { pageToken, size: 1 }),
      1,
    );
    const expected = await opened.values(
      `SELECT trace_index AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN} AND block_number = ${block} AND block_index = ${index} ORDER BY trace_index`,
    );
    expect(expected.length).toBeGreaterThan(1);
    expect(found.map(({ traceIndex }) => String(traceIndex))).toEqual(expected);
  });

  it("gives the same deployment whichever way it is read", async () => {
    const { native: _, parts: __, isTraced: ___, ...found } = await last(TWICE);
    const { chainId, address, blockNumber, blockIndex, traceIndex } = found;
    const { load } = opened.context();
    expect(await load.deployment({ chainId, address, blockNumber, blockIndex, traceIndex })).toEqual(found);
  });
});
