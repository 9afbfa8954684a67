import { isFullRun } from "../../../test/support/full.ts";
import { openSnapshotReplay, type SnapshotReplay } from "../../../test/support/indexed/primary-snapshots.ts";
import {
  currentValidators,
  type NodeStaker,
  PRIMARY_SUBNET,
  totalWeights,
  weightOf,
} from "../../../test/support/recorded/node-stakers.ts";
import type { Snapshot } from "../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";

const STATE = `validators delegators validatorStake delegatorStake totalStake currentSupply stakedPercentage averageRewardRate
  subnets blockchains l1s activeL1Validators`;
const QUERY = `{ primaryNetworks(network: FUJI) {
  statistics { blockNumber blockTimestamp l1ValidatorBalance ${STATE} }
  activity(interval: DAY, first: 1) { nodes { ${STATE} } } } }`;

interface Answer {
  readonly primaryNetworks: readonly {
    readonly statistics: Readonly<Record<string, unknown>>;
    readonly activity: { readonly nodes: readonly Readonly<Record<string, unknown>>[] };
  }[];
}

const sum = (amounts: readonly (string | undefined)[]): bigint =>
  amounts.reduce((total, amount) => total + BigInt(amount ?? 0), 0n);

/** The staking of the primary network in the node's answers. Members that its release does not return are undefined. */
function stakingOf(snapshot: Snapshot) {
  const answers = currentValidators(snapshot).filter(({ subnetId }) => subnetId === PRIMARY_SUBNET);
  const all = answers.find(({ nodeId }) => nodeId === null)?.answer.stakers ?? [];
  const byNode = answers.filter(({ nodeId }) => nodeId !== null).flatMap(({ answer }) => answer.stakers);
  const validators = all.map((one) => ({ ...one, ...byNode.find(({ txID }) => txID === one.txID) }));
  const delegators = validators.flatMap((one) => one.delegators ?? []);
  return {
    validators: all.length,
    validatorStake: String(sum(all.map(weightOf))),
    ...(validators.every(({ delegators }) => delegators !== undefined) && {
      delegators: delegators.length,
      delegatorStake: String(sum(delegators.map(weightOf))),
      averageRewardRate: rateOf([...validators, ...delegators]),
    }),
  };
}

/** Potential rewards for 365 days, in percent of the stakes, with eight decimals. */
function rateOf(stakers: readonly NodeStaker[]): number {
  const stake = sum(stakers.map(weightOf));
  const annual = stakers.map(({ potentialReward, startTime, endTime }) =>
    String((BigInt(potentialReward ?? 0) * 31_536_000n) / (BigInt(endTime) - BigInt(startTime))),
  );
  return Number((sum(annual) * 10n ** 10n) / stake) / 10 ** 8;
}

/** The members of a node's answer, if its release has the method. */
function answerOf(
  snapshot: Snapshot,
  method: string,
  subnetId: string | null = null,
): Readonly<Record<string, string>> {
  const found = snapshot
    .answers(method)
    .find(({ params }) => [undefined, PRIMARY_SUBNET].includes(params["subnetID"] as string | undefined) || !subnetId);
  return (found?.result ?? {}) as Readonly<Record<string, string>>;
}

/** Lists in the node's answers. */
const listOf = (snapshot: Snapshot, method: string, name: string): readonly { readonly [key: string]: unknown }[] =>
  (snapshot.answers(method).find(({ params }) => !("ids" in params))?.result as Record<string, never>)?.[name] ?? [];

/** Members that are undefined are not compared. */
const known = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function expectedAt(snapshot: Snapshot): Readonly<Record<string, unknown>> {
  const { supply } = answerOf(snapshot, "platform.getCurrentSupply", PRIMARY_SUBNET);
  const total = totalWeights(snapshot).find(({ subnetId }) => subnetId === PRIMARY_SUBNET)?.answer;
  const totalStake = total?.weight ?? total?.stake;
  return known({
    ...stakingOf(snapshot),
    totalStake,
    currentSupply: supply,
    ...(totalStake &&
      supply && { stakedPercentage: Number((BigInt(totalStake) * 10n ** 10n) / BigInt(supply)) / 10 ** 8 }),
    // A node lists the primary network among the subnets, and the chains of the genesis among the blockchains.
    subnets: listOf(snapshot, "platform.getSubnets", "subnets").filter(({ id }) => id !== PRIMARY_SUBNET).length,
    blockchains: listOf(snapshot, "platform.getBlockchains", "blockchains").filter(
      ({ subnetID }) => subnetID !== PRIMARY_SUBNET,
    ).length,
    l1s: snapshot
      .answers("platform.getSubnet")
      .filter(({ result }) => (result as { conversionID?: string }).conversionID?.match(/^1+LpoYY$/) === null).length,
  });
}

describeAllRecordings(
  "statistics of a network",
  (folder) => {
    let opened: SnapshotReplay;
    beforeAll(async () => {
      opened = await openSnapshotReplay(folder);
    });
    afterAll(() => opened[Symbol.asyncDispose]());

    it("equal the node's state at every snapshot, as do the figures of the last day", async () => {
      const compared = new Set<string>();
      let balances = 0;
      await opened.forEachSnapshot(async (snapshot) => {
        const { primaryNetworks } = await opened.ask<Answer>(QUERY);
        const { statistics, activity } = primaryNetworks[0] as Answer["primaryNetworks"][number];
        const expected = expectedAt(snapshot);
        for (const name of Object.keys(expected)) compared.add(name);
        const where = { snapshot: snapshot.name, blockNumber: String(snapshot.heights.P) };
        expect({ ...where, ...statistics }).toMatchObject({ ...where, ...expected });
        expect({ ...where, ...activity.nodes[0] }).toMatchObject({ ...where, ...expected });
        const l1 = snapshot
          .answers("platform.getL1Validator")
          .map(({ result }) => (result as { balance: string }).balance);
        if (l1.length === 0) return;
        balances += l1.length;
        expect({ ...where, ...statistics }).toMatchObject({
          activeL1Validators: l1.filter((balance) => balance !== "0").length,
          l1ValidatorBalance: String(sum(l1)),
        });
      });
      expect([...compared].sort()).toEqual([
        "averageRewardRate",
        "blockchains",
        "currentSupply",
        "delegatorStake",
        "delegators",
        "l1s",
        "stakedPercentage",
        "subnets",
        "totalStake",
        "validatorStake",
        "validators",
      ]);
      expect(balances).toBeGreaterThan(isFullRun ? 2 : 1);
    });
  },
  { inShortForm: 2 },
);
