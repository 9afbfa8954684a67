import { UNSCHEDULED } from "../../../core/networks/upgrades.ts";
import {
  atomicBlock,
  buildVertex,
  createPBlocks,
  createXBlocks,
  vertexEntries,
} from "../../../test/support/built/blocks.ts";
import {
  atomicTransactionsOf,
  type BuiltInput,
  type BuiltTransaction,
  transactionsOf,
} from "../../../test/support/built/transactions.ts";
import { type BuiltNetwork, openBuiltNetwork } from "../../../test/support/indexed/built-network.ts";
import { dumpPrimary } from "../../../test/support/indexed/primary-tables.ts";
import { readPrimaryRecording } from "../../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { ZERO_ID } from "../network/chains.ts";
import { consensusExceptions } from "../network/consensus-exceptions.ts";

const { network: recorded } = readPrimaryRecording(recordingFolder("alpha"));
const { networkId, xChainId, cChainId, avaxAssetId: assetId } = recorded;
/** The network before its first upgrade. */
const network = {
  ...recorded,
  upgrades: Object.fromEntries(
    Object.keys(recorded.upgrades).map((name) => [name, UNSCHEDULED]),
  ) as unknown as typeof recorded.upgrades,
};
const P = transactionsOf("P", networkId, ZERO_ID);
const X = transactionsOf("X", networkId, xChainId);
const C = atomicTransactionsOf(networkId, cChainId);
const [ALICE, BOB, CAROL] = ["a1", "b0", "c4"].map((digits) => digits.repeat(20)) as [string, string, string];
const NODE = "0d".repeat(20);
const pay = (owner: string, amount = 5) => ({ assetId, amount, owners: [owner] });
const spend = ({ id }: BuiltTransaction, outputIndex = 0, amount = 5): BuiltInput => ({
  txId: id,
  outputIndex,
  assetId,
  amount,
});
const start = recorded.genesis.timestamp;

let built: BuiltNetwork;
beforeEach(async () => {
  built = await openBuiltNetwork(network);
});
afterEach(() => built[Symbol.asyncDispose]());

const transactions = (of: BuiltNetwork = built) =>
  of.rows<{ tx: string; block: number; seq: number }>(
    "SELECT encode(tx_hash, 'hex') AS tx, block_number::int AS block, tx_seq::int AS seq FROM primary_transactions ORDER BY chain, tx_seq",
  );
const blocks = () =>
  built.rows<{ block: number; txs: string[] }>(
    `SELECT block_number::int AS block, array(SELECT encode(one, 'hex') FROM unnest(tx_hashes) one) AS txs
     FROM primary_blocks WHERE cardinality(tx_hashes) > 0 ORDER BY 1`,
  );
const repeated = () =>
  built.rows(
    "SELECT encode(tx_hash, 'hex') AS tx, block_number::int AS block FROM primary_repeated_transactions ORDER BY 2",
  );
const exceptions = () =>
  built.rows(
    `SELECT encode(tx_hash, 'hex') AS tx, kind, encode(utxo_id, 'hex') AS output, exception_index AS index
     FROM primary_exceptions ORDER BY chain, tx_seq, exception_index`,
  );
/** Which transaction consumed the output. */
const consumer = async ({ id }: BuiltTransaction, outputIndex = 0) =>
  (
    await built.rows<{ consumer: string | null }>(
      "SELECT encode(consumed_tx_hash, 'hex') AS consumer FROM utxos WHERE tx_hash = decode($1, 'hex') AND output_index = $2",
      [id, outputIndex],
    )
  )[0]?.consumer;
const listOf = async (address: string, of: BuiltNetwork = built) =>
  (
    await of.rows<{ tx: string }>(
      `SELECT encode(t.tx_hash, 'hex') AS tx FROM primary_address_transactions a
         JOIN primary_transactions t USING (network_id, chain, tx_seq)
       WHERE address = decode($1, 'hex') AND a.block_timestamp = t.block_timestamp ORDER BY chain, tx_seq`,
      [address],
    )
  ).map(({ tx }) => tx);

describe.each([1, 100])("in batches of %i", (size) => {
  it("an operation that spends an NFT again changes only its own outputs (M1)", async () => {
    const nft = { txId: "77".repeat(32), outputIndex: 0 };
    const chain = createXBlocks(start);
    const first = X.moveNft([nft], assetId, ALICE, "1");
    const second = X.moveNft([spend(first)], assetId, BOB, "2");
    const again = X.moveNft([spend(first)], assetId, CAROL, "3");
    const later = X.base({ outputs: [pay(BOB)] });
    for (const tx of [first, second, again, later]) chain.add(tx);
    await built.accept("X", chain.entries, size);
    expect((await transactions()).map(({ tx }) => tx)).toEqual([first, second, again, later].map(({ id }) => id));
    expect(await consumer(first)).toBe(second.id);
    expect(await consumer(again)).toBeNull();
    expect(await exceptions()).toMatchObject([
      { tx: first.id, kind: "MISSING_INPUT", index: 0 },
      { tx: again.id, kind: "SPENT_INPUT", index: 0 },
    ]);
    expect(await listOf(ALICE)).toEqual([first.id, second.id]);
    expect(await listOf(CAROL)).toEqual([again.id]);
    expect(built.replay.exceptions.X).toBe(2);
  });

  it("a missing input, one input twice, and inputs of outputs that were exported are exceptions (M9)", async () => {
    const chain = createPBlocks();
    const missing = P.base({ inputs: [{ txId: "66".repeat(32), outputIndex: 3, assetId, amount: 1 }] });
    const paid = P.base({ outputs: [pay(ALICE)] });
    const twice = P.base({ inputs: [spend(paid), spend(paid)], memo: "twice" });
    const exported = P.export({}, xChainId, [pay(BOB)]);
    const back = P.base({ inputs: [spend(exported)] });
    for (const tx of [missing, paid, twice, exported, back]) chain.add(tx);
    await built.accept("P", chain.entries, size);
    expect(await exceptions()).toMatchObject([
      { tx: missing.id, kind: "MISSING_INPUT", index: 0 },
      { tx: twice.id, kind: "SPENT_INPUT", index: 1 },
      { tx: back.id, kind: "MISSING_INPUT", index: 0 },
    ]);
    expect(await consumer(paid)).toBe(twice.id);
    expect(await consumer(exported)).toBeNull();
  });

  it("a proposal that was aborted and is proposed again is listed by both blocks, and its row is in the committed one (M4)", async () => {
    const chain = createPBlocks();
    const before = P.base({ outputs: [pay(ALICE)] });
    const advance = P.advanceTime(start + 10);
    chain.add(before);
    chain.propose(advance);
    chain.abort();
    chain.propose(advance);
    chain.commit();
    chain.propose(P.advanceTime(start + 20));
    chain.commit();
    await built.accept("P", chain.entries, size);
    expect((await transactions()).map(({ tx, block }) => [tx, block])).toEqual([
      [before.id, 1],
      [advance.id, 4],
      [P.advanceTime(start + 20).id, 6],
    ]);
    expect((await blocks()).map(({ block, txs }) => [block, txs])).toEqual([
      [1, [before.id]],
      [2, [advance.id]],
      [4, [advance.id]],
      [6, [P.advanceTime(start + 20).id]],
    ]);
    expect(await repeated()).toEqual([{ tx: advance.id, block: 2 }]);
    expect(await built.rows("SELECT chain_timestamp::int AS time FROM p_chain_states")).toEqual([{ time: start + 20 }]);
    expect(await exceptions()).toEqual([]);
  });

  it("a proposal that is aborted twice has its row in the first block, and the time does not advance (M4)", async () => {
    const chain = createPBlocks();
    for (const _ of [1, 2]) {
      chain.propose(P.advanceTime(start + 10));
      chain.abort();
    }
    await built.accept("P", chain.entries, size);
    expect((await transactions()).map(({ block }) => block)).toEqual([1]);
    expect(await repeated()).toMatchObject([{ block: 3 }]);
    expect(await built.rows("SELECT chain_timestamp::int AS time FROM p_chain_states")).toEqual([{ time: start }]);
  });

  it("a repeated transaction on P, X and C is listed by its block and changes nothing else", async () => {
    const [pBlocks, xBlocks] = [createPBlocks(), createXBlocks(start)];
    const paid = { P: P.base({ outputs: [pay(ALICE)] }), X: X.export({}, cChainId, [pay(ALICE)]) };
    const imported = C.import(xChainId, [spend(paid.X)], BOB);
    for (const _ of [1, 2]) {
      pBlocks.add(paid.P);
      xBlocks.add(paid.X);
    }
    await built.accept("P", pBlocks.entries, size);
    await built.accept("X", xBlocks.entries, size);
    await built.acceptAtomic([atomicBlock(16, imported), atomicBlock(20, imported)], size);
    expect((await transactions()).map(({ tx, block }) => [tx, block])).toEqual([
      [imported.id, 16],
      [paid.P.id, 1],
      [paid.X.id, 0],
    ]);
    expect(await repeated()).toEqual([
      { tx: paid.X.id, block: 1 },
      { tx: paid.P.id, block: 2 },
      { tx: imported.id, block: 20 },
    ]);
    expect(await consumer(paid.X)).toBe(imported.id);
    expect(await exceptions()).toEqual([]);
    expect(await listOf(ALICE)).toEqual([imported.id, paid.P.id, paid.X.id]);
    expect(await listOf(BOB)).toEqual([imported.id]);
  });

  it("effects on stakers and subnets that do not exist are exceptions, and the chain goes on", async () => {
    const chain = createPBlocks();
    const delegation = P.delegate(NODE, [start + 1, start + 100], pay(ALICE));
    const removal = P.removeValidator(NODE, "5b".repeat(32));
    const reward = P.reward("ee".repeat(32));
    chain.propose(delegation);
    chain.commit();
    chain.add(removal);
    chain.propose(reward);
    chain.commit();
    chain.propose(P.advanceTime(start + 1));
    chain.commit();
    await built.accept("P", chain.entries, size);
    expect(await exceptions()).toMatchObject(
      [delegation, removal, reward].map(({ id }) => ({ tx: id, kind: "NO_EFFECT", output: null })),
    );
    expect(await built.rows("SELECT status FROM stakers WHERE tx_hash = decode($1, 'hex')", [delegation.id])).toEqual([
      { status: "ACTIVE" },
    ]);
  });

  it("an import from another chain than the one that an export names consumes nothing, in either order", async () => {
    const [pBlocks, xBlocks] = [createPBlocks(), createXBlocks(start)];
    const [early, late] = [X.export({}, ZERO_ID, [pay(ALICE)]), X.export({}, ZERO_ID, [pay(BOB)])];
    const wrong = [C.import(xChainId, [spend(early)], CAROL), C.import(xChainId, [spend(late)], CAROL)] as const;
    const right = P.import({}, xChainId, [spend(late)]);
    xBlocks.add(early, late);
    pBlocks.add(right);
    await built.acceptAtomic([atomicBlock(1, wrong[0])]);
    await built.accept("X", xBlocks.entries, size);
    await built.acceptAtomic([atomicBlock(2, wrong[1])]);
    await built.accept("P", pBlocks.entries, size);
    expect(await exceptions()).toMatchObject(wrong.map(({ id }) => ({ tx: id, kind: "MISSING_INPUT", index: 0 })));
    expect([await consumer(early), await consumer(late)]).toEqual([null, right.id]);
    expect(await listOf(BOB)).toEqual([right.id, late.id]);
  });

  it("an output that is consumed before it is created has its consumer, and both owners' lists contain it (M6, M7)", async () => {
    const paid = X.base({ outputs: [pay(ALICE), pay(ALICE)] });
    const first = X.base({ inputs: [spend(paid)], outputs: [pay(BOB)], memo: "1" });
    const conflicting = X.base({ inputs: [spend(paid)], outputs: [pay(CAROL)], memo: "2" });
    const second = X.base({ inputs: [spend(paid, 1), spend(first)], outputs: [pay(CAROL)] });
    const vertex = (...txs: BuiltTransaction[]) => buildVertex(xChainId, 0, [], txs);
    await built.accept("X", vertexEntries([vertex(second, first), vertex(conflicting), vertex(paid)], start), size);
    expect([await consumer(paid), await consumer(paid, 1), await consumer(first)]).toEqual([
      first.id,
      second.id,
      second.id,
    ]);
    expect(await exceptions()).toMatchObject([{ tx: conflicting.id, kind: "SPENT_INPUT" }]);
    expect(await listOf(ALICE)).toEqual([second.id, first.id, paid.id]);
    expect(await listOf(BOB)).toEqual([second.id, first.id]);
    expect(built.replay.exceptions.X).toBe(1);
  });
});

describe("bonus blocks of the C-Chain (M2, M3)", () => {
  const exported = X.export({}, cChainId, [pay(ALICE), pay(ALICE), pay(ALICE)]);
  const [repeatedLater, onlyBonus, ordinary] = [0, 1, 2].map((index) =>
    C.import(xChainId, [spend(exported, index)], BOB),
  ) as [BuiltTransaction, BuiltTransaction, BuiltTransaction];
  const consuming = C.import(xChainId, [spend(exported, 1)], CAROL);
  const chain = [
    atomicBlock(10, repeatedLater), // bonus
    atomicBlock(11, onlyBonus), // bonus
    atomicBlock(12, ordinary),
    atomicBlock(13, repeatedLater),
    atomicBlock(14, onlyBonus), // bonus
    atomicBlock(15, ordinary), // bonus
    atomicBlock(16, consuming),
    atomicBlock(17, repeatedLater), // bonus
  ];
  const bonusBlocks = new Map(
    chain.filter(({ number }) => [10, 11, 14, 15, 17].includes(number)).map(({ hash, number }) => [hash, number]),
  );

  it.each([
    [1, "before"],
    [3, "after"],
    [100, "before"],
    [100, "after"],
  ])("in batches of %i, with X %s C, keep ordinary blocks and touch no atomic memory", async (size, order) => {
    await using with_ = await openBuiltNetwork({ ...network, bonusBlocks });
    const xBlocks = createXBlocks(start);
    xBlocks.add(exported);
    if (order === "before") await with_.accept("X", xBlocks.entries);
    await with_.acceptAtomic(chain, size);
    if (order === "after") await with_.accept("X", xBlocks.entries);
    const ofC = (await transactions(with_)).filter(({ tx }) => tx !== exported.id);
    expect(ofC.map(({ tx, block }) => [tx, block])).toEqual([
      [onlyBonus.id, 11],
      [ordinary.id, 12],
      [repeatedLater.id, 13],
      [consuming.id, 16],
    ]);
    const { rows } = await with_.database.pool.query(
      "SELECT encode(consumed_tx_hash, 'hex') AS tx, consumed_block_number::int AS block FROM utxos WHERE role = 'EXPORTED' ORDER BY output_index",
    );
    expect(rows).toEqual([
      { tx: repeatedLater.id, block: 13 },
      { tx: consuming.id, block: 16 },
      { tx: ordinary.id, block: 12 },
    ]);
    expect(await with_.rows("SELECT block_number::int AS block FROM primary_repeated_transactions ORDER BY 1")).toEqual(
      [10, 14, 15, 17].map((block) => ({ block })),
    );
    expect(await with_.rows("SELECT FROM primary_exceptions")).toEqual([]);
    expect(await listOf(BOB, with_)).toEqual([onlyBonus.id, ordinary.id, repeatedLater.id]);
    expect(await listOf(ALICE, with_)).toEqual([ordinary.id, repeatedLater.id, consuming.id, exported.id]);
  });

  it("leave no rows when the atomic transactions are indexed again", async () => {
    await using with_ = await openBuiltNetwork({ ...network, bonusBlocks });
    await with_.acceptAtomic(chain);
    const { chain: _, ...whole } = { chain: "C", ...(await dumpPrimary(with_.database.pool, networkId)) };
    await with_.replay.resetAtomic();
    expect(await with_.rows("SELECT FROM primary_repeated_transactions")).toEqual([]);
    await with_.acceptAtomic(chain, 2);
    expect(await dumpPrimary(with_.database.pool, networkId)).toEqual(whole);
  });

  it("of mainnet are the 57 that coreth names", () => {
    const { bonusBlocks: named } = consensusExceptions(1);
    const heights = [...named.values()];
    expect([named.size, Math.min(...heights), Math.max(...heights)]).toEqual([57, 102_972, 103_633]);
    expect(consensusExceptions(5).bonusBlocks.size).toBe(0);
  });
});
