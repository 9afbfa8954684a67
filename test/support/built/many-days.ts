import { UNSCHEDULED } from "../../../core/networks/upgrades.ts";
import { readPrimaryRecording } from "../recorded/primary-recording.ts";
import { recordingFolder } from "../recorded/primary-vectors.ts";
import { createPBlocks, createXBlocks } from "./blocks.ts";
import { atomicTransactionsOf, type BuiltTransaction, transactionsOf } from "./transactions.ts";

const DAY = 86_400;
const OWNER = "a1".repeat(20);

export const manyDays = buildManyDays();

/**
 * A network with the genesis of the recording `alpha`, and blocks on the days 0, 3, 20 and 40 after it. Day 0 and day 3 change delegations, rewards,
 * subnets, blockchains and fees. Day 20 converts a subnet to an L1.
 */
function buildManyDays() {
  const { network: recorded } = readPrimaryRecording(recordingFolder("alpha"));
  const { networkId, xChainId, cChainId, avaxAssetId: assetId, genesis } = recorded;
  /** Before its first upgrade, only proposals change the time of the P-Chain. */
  const network = {
    ...recorded,
    upgrades: Object.fromEntries(
      Object.keys(recorded.upgrades).map((name) => [name, UNSCHEDULED]),
    ) as unknown as typeof recorded.upgrades,
  };
  const P = transactionsOf("P", networkId, "00".repeat(32));
  const X = transactionsOf("X", networkId, xChainId);
  const C = atomicTransactionsOf(networkId, cChainId);
  const pay = (amount: number) => ({ assetId, amount, owners: [OWNER] });
  const spend = ({ id }: BuiltTransaction, amount: number) => ({ txId: id, outputIndex: 0, assetId, amount });
  const start = genesis.timestamp;

  function pBlocks() {
    const blocks = createPBlocks();
    const advance = (days: number) => {
      blocks.propose(P.advanceTime(start + Math.round(days * DAY)));
      blocks.commit();
    };
    const [first, second, third] = genesis.p.validators;
    const subnet = P.createSubnet(OWNER);
    const paid = P.base({ outputs: [pay(90)] });
    blocks.propose(P.delegate(third?.validator.nodeId ?? "", [start + DAY, start + 80 * DAY], pay(2_000_000_000)));
    blocks.commit();
    advance(0.1);
    blocks.add(subnet, paid);
    advance(0.1 + 1 / 24);
    blocks.add(P.base({ inputs: [spend(paid, 90)], outputs: [pay(70)] }));
    advance(3);
    blocks.add(P.createChain(subnet.id, Buffer.from("one"), Buffer.from("{}")), P.createSubnet("b2".repeat(20)));
    blocks.propose(P.reward(first?.id ?? ""));
    blocks.commit();
    advance(20);
    blocks.add(P.convertSubnet(subnet.id, cChainId, Buffer.from("manager")));
    blocks.propose(P.reward(second?.id ?? ""));
    blocks.abort();
    // Proposed once more after an abort: the row of the transaction moves to the later block.
    blocks.propose(P.advanceTime(start + 40 * DAY));
    blocks.abort();
    advance(40);
    return blocks.entries;
  }

  const exported = X.export({}, cChainId, [pay(50), pay(40)]);
  const x = createXBlocks(start + 2 * DAY);
  x.add(exported);
  x.add(X.base({ memo: "a second later" }));
  const importFee = 7;
  return {
    network,
    start,
    pBlocks: pBlocks(),
    /** Two blocks on day 2. */
    xBlocks: x.entries,
    /** An import on the C-Chain, which burns `importFee`. */
    imported: C.import(xChainId, [spend(exported, 50)], OWNER, importFee),
    importFee,
  };
}
