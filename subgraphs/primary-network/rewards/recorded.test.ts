import { allItems, sortedBy } from "../../../test/support/indexed/primary-lists.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import type { ListItem } from "../../../test/support/lists/walk-query.ts";
import { describeRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import {
  type RecordedStaking,
  recordedStakings,
  validationOf,
} from "../../../test/support/recorded/recorded-stakings.ts";

const REWARD = `txHash nodeId subnetId amountStaked endTimestamp rewardTxHash rewardType utxoId outputIndex addresses
  reward { assetId amount }`;
const REWARDS = { field: "rewards", fields: REWARD };
const NODES_A_LIST = 200;

describeRecordings(
  "rewards, validations and delegations of a whole recording",
  (folder) => {
    let opened: OpenedPrimary;
    let stakings: readonly RecordedStaking[];
    let expected: readonly ListItem[];
    beforeAll(async () => {
      opened = await openPrimary(folder);
      stakings = recordedStakings(folder);
      expected = stakings.flatMap(rewardsOf);
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    const nodes = () => [...new Set(stakings.map(({ nodeId }) => nodeId))];
    const addresses = () => [...new Set(expected.flatMap((one) => one["addresses"] as string[]))];
    const listedRewards = (filter: string, pageSize = 100) => allItems(opened, { ...REWARDS, filter }, pageSize);
    const listed = (values: readonly string[]) => JSON.stringify(values);

    it("E11 lists every reward output that the node paid", async () => {
      expect(nodes().length).toBeLessThan(NODES_A_LIST);
      const found = await listedRewards(`filter: { nodeIds: ${listed(nodes())} },`, 7);
      expect(sortedBy(found, "utxoId")).toEqual(sortedBy(expected, "utxoId"));
      expect(found.length).toBeGreaterThan(20);
    });

    it("without a filter, lists all rewards of the network, by end time in both directions", async () => {
      for (const filter of ["", "filter: {},", "filter: { addresses: [], nodeIds: [] },"])
        expect(sortedBy(await listedRewards(filter, 7), "utxoId")).toEqual(sortedBy(expected, "utxoId"));
      const down = await listedRewards("", 4);
      const ends = down.map(({ endTimestamp }) => Number(endTimestamp));
      expect(ends).toEqual(ends.toSorted((one, other) => other - one));
      expect(await listedRewards("orderBy: { direction: ASC },", 4)).toEqual(down.toReversed());
    });

    it("E11 filters by an address and by a node, without duplicates", async () => {
      for (const address of addresses()) {
        const own = expected.filter((one) => (one["addresses"] as string[]).includes(address));
        expect(sortedBy(await listedRewards(`filter: { addresses: "P-${address}" },`, 2), "utxoId")).toEqual(
          sortedBy(own, "utxoId"),
        );
      }
      for (const nodeId of nodes()) {
        const own = expected.filter((one) => one["nodeId"] === nodeId);
        expect(sortedBy(await listedRewards(`filter: { nodeIds: "${nodeId}" },`), "utxoId")).toEqual(
          sortedBy(own, "utxoId"),
        );
      }
    });

    it("E11 unites several addresses and intersects them with nodes", async () => {
      const all = await listedRewards(`filter: { addresses: ${listed(addresses())} },`, 3);
      expect(sortedBy(all, "utxoId")).toEqual(sortedBy(expected, "utxoId"));
      for (const some of [nodes().slice(0, 1), nodes().slice(1)]) {
        const on = expected.filter((one) => some.includes(String(one["nodeId"])));
        const found = await listedRewards(
          `filter: { addresses: ${listed(addresses())}, nodeIds: ${listed(some)} },`,
          3,
        );
        expect(sortedBy(found, "utxoId")).toEqual(sortedBy(on, "utxoId"));
      }
    });

    it("E11 is ordered by end time, descending by default", async () => {
      const filter = `filter: { nodeIds: ${listed(nodes())} },`;
      const down = await listedRewards(filter, 4);
      const ends = down.map(({ endTimestamp }) => Number(endTimestamp));
      expect(ends).toEqual(ends.toSorted((one, other) => other - one));
      expect(await listedRewards(`${filter} orderBy: { direction: ASC },`, 4)).toEqual(down.toReversed());
    });

    it("E12 lists every validation as in its staking transaction, with its rewards", async () => {
      const fields = `txHash nodeId subnetId amountStaked weight isPermissioned delegationFee endTimestamp
      blsCredentials { publicKey } delegatorCount amountDelegated removeTxHash
      rewards { validationRewardAmount delegationRewardAmount rewardAddresses rewardTxHash }`;
      const found = await allItems(opened, { field: "validators", fields }, 7);
      expect(sortedBy(found, "txHash")).toEqual(sortedBy(stakings.filter(isValidator).map(validatorOf), "txHash"));
    });

    function validatorOf(one: RecordedStaking): ListItem {
      const delegations = stakings.filter((other) => !isValidator(other) && validationOf(stakings, other) === one);
      // A permissioned validator ends at its end time, unless it was removed before.
      const isOver = one.isPermissioned && one.end <= opened.clock.nowSeconds && one.removeTxHash === null;
      return {
        txHash: one.txHash,
        nodeId: one.nodeId,
        subnetId: one.subnetId,
        weight: one.weight,
        endTimestamp: one.end,
        amountStaked: one.isPermissioned ? "0" : one.weight,
        isPermissioned: one.isPermissioned,
        delegationFee: one.shares === null ? null : String(one.shares / 10_000),
        blsCredentials: one.blsPublicKey === null ? null : { publicKey: one.blsPublicKey },
        delegatorCount: delegations.length,
        amountDelegated: sum(delegations.map(({ weight }) => weight)),
        removeTxHash: one.removeTxHash,
        rewards:
          isOver || one.rewardTxHash !== null
            ? {
                validationRewardAmount: paid(one, "VALIDATOR"),
                delegationRewardAmount: sum([one, ...delegations].map((other) => paid(other, "VALIDATOR_FEE"))),
                rewardAddresses: one.isPermissioned ? null : one.owners,
                rewardTxHash: one.rewardTxHash,
              }
            : null,
      };
    }

    it("E13 lists every delegation as in its staking transaction, with its rewards", async () => {
      const fields = `txHash nodeId subnetId amountDelegated delegationFee rewardAddresses endTimestamp delegationStatus
      grossReward netReward estimatedGrossReward estimatedNetReward validator { txHash }`;
      const found = await allItems(opened, { field: "delegators", fields }, 7);
      const delegations = stakings.filter((one) => !isValidator(one));
      expect(sortedBy(found, "txHash").map(({ txHash }) => txHash)).toEqual(
        sortedBy(delegations as never, "txHash").map(({ txHash }) => txHash),
      );
      for (const one of delegations) {
        const listedRewards = found.find(({ txHash }) => txHash === one.txHash) as ListItem;
        const validation = validationOf(stakings, one) as RecordedStaking;
        expect(listedRewards).toMatchObject({
          nodeId: one.nodeId,
          subnetId: one.subnetId,
          amountDelegated: one.weight,
          endTimestamp: one.end,
          rewardAddresses: one.owners,
          delegationFee: String(Number(validation.shares) / 10_000),
          delegationStatus: one.rewardTxHash ? "COMPLETED" : "ACTIVE",
          validator: { txHash: validation.txHash },
        });
        if (one.rewardTxHash === null) continue;
        const net = paid(one, "DELEGATOR");
        expect(listedRewards).toMatchObject({ netReward: net, estimatedGrossReward: null, estimatedNetReward: null });
        // The validator's share is a separate output; before Cortina it was paid at the same end, and gross is the total.
        if (one.rewards.length === 2)
          expect(listedRewards["grossReward"]).toBe(sum(one.rewards.map(({ amount }) => amount)));
        if (!one.isCommitted) expect(listedRewards["grossReward"]).toBe("0");
        const kept = BigInt(1_000_000 - Number(validation.shares));
        expect((kept * BigInt(String(listedRewards["grossReward"]))) / 1_000_000n).toBe(BigInt(net));
      }
    });
  },
  { inShortForm: 1 },
);

const isValidator = ({ kind }: RecordedStaking): boolean => kind === "VALIDATOR";

const sum = (amounts: readonly string[]): string =>
  String(amounts.reduce((total, amount) => total + BigInt(amount), 0n));

/** Reward of one kind that was paid at the end of a stake. */
const paid = ({ rewards }: RecordedStaking, kind: string): string =>
  rewards.find(({ rewardType }) => rewardType === kind)?.amount ?? "0";

/** Reward outputs of a stake, as E11 lists them. */
function rewardsOf(one: RecordedStaking): ListItem[] {
  const { txHash, nodeId, subnetId, weight, end, rewardTxHash } = one;
  return one.rewards.map(({ assetId, amount, ...reward }) => ({
    txHash,
    nodeId,
    subnetId,
    amountStaked: weight,
    endTimestamp: end,
    rewardTxHash,
    ...reward,
    reward: { assetId, amount },
  }));
}
