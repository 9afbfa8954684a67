import { isFullRun } from "../../../test/support/full.ts";
import { allItems, sortedBy, withFieldsOf } from "../../../test/support/indexed/primary-lists.ts";
import {
  chainTimeOf,
  openSnapshotReplay,
  type SnapshotReplay,
} from "../../../test/support/indexed/primary-snapshots.ts";
import type { ListItem } from "../../../test/support/lists/walk-query.ts";
import {
  type Asked,
  currentValidators,
  feeOf,
  type NodeL1Validator,
  type NodeStaker,
  ownerOf,
  PRIMARY_SUBNET,
  pendingStakers,
  totalWeights,
  weightOf,
} from "../../../test/support/recorded/node-stakers.ts";
import { readPrimaryRecording, type Snapshot } from "../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import {
  type RecordedStaking,
  recordedStakings,
  validationOf,
} from "../../../test/support/recorded/recorded-stakings.ts";

const OWNER = "{ threshold addresses }";
const VALIDATOR = `txHash nodeId subnetId weight delegationFee startTimestamp endTimestamp validationStatus
  blsCredentials { publicKey proofOfPossession } validationRewardOwner ${OWNER} delegationRewardOwner ${OWNER}
  potentialRewards { validationRewardAmount delegationRewardAmount } activeDelegatorCount activeAmountDelegated
  stakePercentage delegationCapacity delegators(first: 100, filter: { status: ACTIVE }) { delegators: nodes {
    txHash nodeId subnetId amountDelegated startTimestamp endTimestamp delegationStatus estimatedGrossReward
    rewardOwner ${OWNER} } }`;
const L1_VALIDATOR = `validationId nodeId subnetId weight creationTimestamp remainingBalance minNonce isActive
  blsCredentials { publicKey } remainingBalanceOwner ${OWNER} deactivationOwner ${OWNER}`;

describeAllRecordings("stakers at every snapshot", (folder) => {
  let replay: SnapshotReplay;
  let stakings: readonly RecordedStaking[];
  const seen: Record<string, number> = {};
  const count = (what: string, some: number) => {
    seen[what] = (seen[what] ?? 0) + some;
  };
  beforeAll(async () => {
    stakings = recordedStakings(folder);
    replay = await openSnapshotReplay(folder);
    await replay.forEachSnapshot(async (snapshot) => {
      const totals = new Map(
        totalWeights(snapshot).map(({ subnetId, answer }) => [subnetId, BigInt(answer.weight ?? answer.stake)]),
      );
      states.push({ snapshot, totals, validators: [], l1: [], pending: [] });
      await readLists(states.at(-1) as State);
    });
  });
  afterAll(() => replay[Symbol.asyncDispose]());

  interface State {
    readonly snapshot: Snapshot;
    readonly totals: ReadonlyMap<string, bigint>;
    readonly validators: (Asked<NodeStaker[]> & { found: ListItem[] })[];
    readonly l1: (Asked<NodeL1Validator[]> & { found: ListItem[] })[];
    readonly pending: [found: ListItem[], expected: ListItem[]][];
  }
  const states: State[] = [];

  /** Reads the lists while the rows are those of the snapshot. */
  async function readLists({ snapshot, validators, l1, pending }: State): Promise<void> {
    for (const { subnetId, nodeId, answer } of currentValidators(snapshot)) {
      // The answer for one node equals its entry in the list, except for the delegations.
      if (nodeId && !answer.stakers.some(({ delegators }) => delegators?.length)) continue;
      const ofNode = nodeId ? `nodeIds: "${nodeId}", ` : "";
      const active = { field: "validators", filter: `filter: { ${ofNode}subnetId: "${subnetId}", status: ACTIVE },` };
      const found = await allItems(replay, { ...active, fields: VALIDATOR }, nodeId ? 100 : 3);
      validators.push({ subnetId, nodeId, answer: answer.stakers, found });
      const list = {
        field: "l1Validators",
        filter: `filter: { subnetIds: "${subnetId}" }, ${nodeId ? `nodeId: "${nodeId}",` : ""} includeInactiveL1Validators: true,`,
      };
      l1.push({
        subnetId,
        nodeId,
        answer: answer.l1,
        found: await allItems(replay, { ...list, fields: L1_VALIDATOR }, 3),
      });
    }
    for (const { subnetId, answer } of pendingStakers(snapshot)) pending.push(...(await readPending(subnetId, answer)));
  }

  async function readPending(
    subnetId: string,
    answer: { readonly validators: NodeStaker[]; readonly delegators: NodeStaker[] },
  ): Promise<State["pending"]> {
    const base = "txHash nodeId subnetId delegationFee startTimestamp endTimestamp";
    const filter = (status: string) => `filter: { subnetId: "${subnetId}", status: ${status} },`;
    const validators = await allItems(replay, {
      field: "validators",
      filter: filter("PENDING"),
      fields: `${base} weight`,
    });
    const delegators = await allItems(replay, {
      field: "delegators",
      filter: filter("PENDING"),
      fields: base.replace("delegationFee", "amountDelegated"),
    });
    const bare = (staker: NodeStaker) => ({
      txHash: staker.txID,
      nodeId: staker.nodeID,
      subnetId,
      startTimestamp: Number(staker.startTime),
      endTimestamp: Number(staker.endTime),
    });
    return [
      [
        validators,
        answer.validators.map((one) => ({ ...bare(one), weight: weightOf(one), delegationFee: feeOf(one) })),
      ],
      [delegators, answer.delegators.map((one) => ({ ...bare(one), amountDelegated: weightOf(one) }))],
    ];
  }

  it("E12 active validators equal the node's: weights, fees, owners, keys, rewards, delegations", () => {
    for (const { snapshot, validators } of states)
      for (const { subnetId, nodeId, answer, found } of validators) {
        const expected = sortedBy(
          answer.map((staker) => validatorOf(subnetId, staker)),
          "txHash",
        );
        const ours = sortedBy(found, "txHash").map((actual, index) =>
          withFieldsOf(flat(actual), expected[index] ?? actual),
        );
        const where = { snapshot: snapshot.name, subnetId, nodeId };
        expect({ ...where, validators: ours }).toEqual({ ...where, validators: expected });
        count("validators", ours.length);
      }
    expect(seen["validators"]).toBeGreaterThan(isFullRun ? 100 : 50);
  });

  it("E12 delegationRewardAmount is the validator's accrued share plus its share of potential rewards", () => {
    for (const { snapshot, validators } of states)
      for (const { answer, found } of validators)
        for (const { txID, accruedDelegateeReward, delegators, delegationFee } of answer) {
          if (accruedDelegateeReward === undefined || !delegators) continue;
          const shares = delegators.map(({ potentialReward = "0" }) => shareOf(BigInt(potentialReward), delegationFee));
          const paid = paidBeforeCortina(String(txID), chainTimeOf(snapshot));
          const all = shares.reduce((sum, share) => sum + share, BigInt(accruedDelegateeReward) + paid);
          const actual = found.find(({ txHash }) => txHash === txID)?.["potentialRewards"];
          expect(actual).toMatchObject({ delegationRewardAmount: String(all) });
          count("shares", shares.length);
        }
    expect(seen["shares"]).toBeGreaterThan(isFullRun ? 5 : 2);
  });

  /** Rounds down the delegator's part, as the chain does. */
  function shareOf(gross: bigint, fee: string | undefined): bigint {
    const millionths = BigInt(Math.round(Number(fee) * 10_000));
    return gross - ((1_000_000n - millionths) * gross) / 1_000_000n;
  }

  /** Shares that were paid at the end of each delegation, as for validations that started before Cortina. */
  function paidBeforeCortina(txHash: string, until: number): bigint {
    const paid = stakings
      .filter((one) => one.kind === "DELEGATOR" && one.end <= until && validationOf(stakings, one)?.txHash === txHash)
      .flatMap(({ rewards }) => rewards.filter(({ rewardType }) => rewardType === "VALIDATOR_FEE"));
    return paid.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  }

  it("E12 stakePercentage is the weight with delegations as a part of the subnet's total weight on the node", () => {
    for (const { totals, validators } of states)
      for (const { subnetId, answer, found } of validators)
        for (const staker of answer) {
          const total = totals.get(subnetId);
          const { delegatorWeight = null } = staker;
          const isWhole = delegatorWeight !== null || staker.delegationFee === undefined;
          if (total === undefined || !isWhole) continue;
          const weight = BigInt(weightOf(staker)) + BigInt(delegatorWeight ?? 0);
          const actual = Number(found.find(({ txHash }) => txHash === staker.txID)?.["stakePercentage"]);
          expect(actual).toBe(Number((weight * 10n ** 10n) / total) / 10 ** 8);
          count("percentages", 1);
        }
    expect(seen["percentages"]).toBeGreaterThan(isFullRun ? 20 : 10);
  });

  it("delegationCapacity is what the node's limits leave: five times the weight, at most the network's maximum", () => {
    const { rewards, upgrades } = readPrimaryRecording(folder).network;
    const { maxValidatorStake } = rewards;
    for (const { snapshot, validators } of states) {
      const asked = pendingStakers(snapshot).filter((one) => one.subnetId === PRIMARY_SUBNET);
      // Since Durango no stake is pending. Releases for Durango do not say which are.
      if (asked.length === 0 && chainTimeOf(snapshot) < upgrades.durango) continue;
      const waiting = new Map(asked.flatMap(({ answer }) => answer.delegators.map((one) => [one.txID, one])));
      for (const { subnetId, answer, found } of validators)
        for (const staker of answer) {
          const capacity = found.find(({ txHash }) => txHash === staker.txID)?.["delegationCapacity"];
          if (subnetId !== PRIMARY_SUBNET) expect(capacity).toBeNull();
          if (subnetId !== PRIMARY_SUBNET || staker.delegatorWeight === undefined) continue;
          const pending = [...waiting.values()].filter(({ nodeID }) => nodeID === staker.nodeID);
          const weight = BigInt(weightOf(staker));
          const taken = [weightOf(staker), staker.delegatorWeight, ...pending.map(weightOf)];
          const most = 5n * weight < maxValidatorStake ? 5n * weight : maxValidatorStake;
          const free = taken.reduce((left, one) => left - BigInt(one), most);
          expect(capacity).toBe(String(free > 0n ? free : 0n));
          count(most === maxValidatorStake ? "limited by the maximum" : "limited by the weight", 1);
          if (staker.delegatorWeight !== "0" || pending.length > 0) count("delegated", 1);
        }
    }
    expect(seen).toMatchObject({ "limited by the weight": expect.any(Number), delegated: expect.any(Number) });
  });

  it("E13 active delegations equal the node's: stake, times, owners, rewards", () => {
    for (const { snapshot, validators } of states)
      for (const { subnetId, nodeId, answer, found } of validators)
        for (const { txID, delegators } of answer) {
          if (!delegators) continue;
          const validator = found.find(({ txHash }) => txHash === txID);
          const ours = (validator as { delegators: { delegators: ListItem[] } }).delegators.delegators;
          const expected = delegators.map((one) => delegatorOf(subnetId, one));
          const where = { snapshot: snapshot.name, subnetId, nodeId };
          expect({ ...where, delegators: sortedBy(ours, "txHash") }).toEqual({
            ...where,
            delegators: sortedBy(expected, "txHash"),
          });
          count("delegators", ours.length);
        }
    expect(seen["delegators"]).toBeGreaterThan(isFullRun ? 5 : 2);
  });

  it("E12 E13 pending stakers equal the node's", () => {
    for (const { pending } of states)
      for (const [found, expected] of pending) {
        expect(sortedBy(found, "txHash")).toEqual(sortedBy(expected, "txHash"));
        count("pending", found.length);
      }
    if (folder.endsWith("delta")) expect(seen["pending"]).toBeGreaterThan(isFullRun ? 10 : 5);
  });

  it("E16 L1 validators equal the node's: weights, balances, owners, keys, also inactive ones", () => {
    for (const { snapshot, l1 } of states) {
      const balances = balancesOf(snapshot);
      for (const { subnetId, nodeId, answer, found } of l1) {
        const ours = found.filter(({ weight }) => weight !== "0");
        const expected = answer.map((one) => l1ValidatorOf(subnetId, one, balances.get(one.validationID) ?? ""));
        const where = { snapshot: snapshot.name, subnetId, nodeId };
        expect({ ...where, l1: sortedBy(ours, "validationId") }).toEqual({
          ...where,
          l1: sortedBy(expected, "validationId"),
        });
        count("l1", ours.length);
      }
    }
    expect(seen["l1"]).toBeGreaterThan(isFullRun ? 5 : 2);
  });

  /** Balances of all L1 validators that were not removed, by validation id. */
  function balancesOf(snapshot: Snapshot): ReadonlyMap<string, string> {
    return new Map(
      snapshot.answers("platform.getL1Validator").map(({ params, result }) => {
        const { balance } = result as { balance: string };
        return [String(params["validationID"]), balance];
      }),
    );
  }
});

/** A validation with its potential reward as a separate field. */
const flat = (actual: ListItem): ListItem => ({
  ...actual,
  validationRewardAmount: (actual["potentialRewards"] as ListItem)["validationRewardAmount"],
});

/** The node's values of a current validation under our field names, as far as its release has them. */
function validatorOf(subnetId: string, staker: NodeStaker): ListItem {
  const { txID, nodeID, startTime, endTime, signer, potentialReward, delegatorCount, delegatorWeight } = staker;
  const owner = staker.validationRewardOwner ?? staker.rewardOwner;
  return {
    txHash: txID,
    nodeId: nodeID,
    subnetId,
    weight: weightOf(staker),
    delegationFee: feeOf(staker),
    startTimestamp: Number(startTime),
    endTimestamp: Number(endTime),
    validationStatus: "ACTIVE",
    validationRewardOwner: ownerOf(owner),
    delegationRewardOwner: ownerOf(staker.delegationRewardOwner ?? owner),
    validationRewardAmount: potentialReward ?? "0",
    ...(signer && { blsCredentials: signer }),
    ...(delegatorCount !== undefined && {
      activeDelegatorCount: Number(delegatorCount),
      activeAmountDelegated: delegatorWeight,
    }),
  };
}

function delegatorOf(subnetId: string, staker: NodeStaker): ListItem {
  const { txID, nodeID, startTime, endTime, potentialReward, rewardOwner } = staker;
  return {
    txHash: txID,
    nodeId: nodeID,
    subnetId,
    amountDelegated: weightOf(staker),
    delegationStatus: "ACTIVE",
    startTimestamp: Number(startTime),
    endTimestamp: Number(endTime),
    estimatedGrossReward: potentialReward,
    rewardOwner: ownerOf(rewardOwner),
  };
}

function l1ValidatorOf(subnetId: string, validator: NodeL1Validator, balance: string): ListItem {
  return {
    validationId: validator.validationID,
    nodeId: validator.nodeID,
    subnetId,
    weight: String(validator.weight),
    creationTimestamp: Number(validator.startTime),
    remainingBalance: BigInt(balance).toString(),
    minNonce: validator.minNonce,
    isActive: balance !== "0",
    blsCredentials: { publicKey: validator.publicKey },
    remainingBalanceOwner: ownerOf(validator.remainingBalanceOwner),
    deactivationOwner: ownerOf(validator.deactivationOwner),
  };
}
