import { potentialReward } from "../../../core/networks/staking-rewards.ts";
import { allItems, sortedBy } from "../../../test/support/indexed/primary-lists.ts";
import { openSnapshotReplay, type SnapshotReplay } from "../../../test/support/indexed/primary-snapshots.ts";
import type { ListItem } from "../../../test/support/lists/walk-query.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";

const VALIDATIONS = {
  field: "validators",
  fields: `txHash startTimestamp endTimestamp isPermissioned validationStatus rewards { validationRewardAmount }
    potentialRewards { validationRewardAmount delegationRewardAmount }`,
};
const DELEGATIONS = {
  field: "delegators",
  fields: `txHash startTimestamp endTimestamp amountDelegated delegationFee delegationStatus grossReward netReward
    estimatedGrossReward estimatedNetReward`,
};

/** The replay stops while stakers of the oldest rules wait for their start. */
const PENDING = "01-pending-stakers";

describe("status of a stake", () => {
  let replay: SnapshotReplay;
  let supply: bigint;
  let chainTime: number;
  beforeAll(async () => {
    replay = await openSnapshotReplay(recordingFolder("delta"));
    const snapshot = await replay.replayTo(PENDING);
    const [{ result } = { result: null }] = snapshot.answers("platform.getCurrentSupply");
    supply = BigInt((result as { supply: string }).supply);
    chainTime = replay.clock.nowSeconds;
  });
  afterAll(() => replay[Symbol.asyncDispose]());
  beforeEach(() => {
    replay.clock.nowSeconds = chainTime;
  });

  const validations = (status = "") =>
    allItems(replay, { ...VALIDATIONS, filter: status && `filter: { status: ${status} },` }, 3);
  const delegations = (status = "") =>
    allItems(replay, { ...DELEGATIONS, filter: status && `filter: { status: ${status} },` }, 3);

  it("E12 E13 filters by status return exactly the stakers with that status, at any time", async () => {
    for (const later of [0, 1, 10, 45, 100, 1_000, 100_000_000]) {
      replay.clock.nowSeconds = chainTime + later;
      const all = [await validations(), await delegations()];
      const parts: ListItem[][] = [[], []];
      for (const status of ["COMPLETED", "ACTIVE", "PENDING", "REMOVED"]) {
        const some = await validations(status);
        expect(some.every(({ validationStatus }) => validationStatus === status)).toBe(true);
        parts[0]?.push(...some);
        if (status === "REMOVED") continue;
        const others = await delegations(status);
        expect(others.every(({ delegationStatus }) => delegationStatus === status)).toBe(true);
        parts[1]?.push(...others);
      }
      expect(parts.map((some) => sortedBy(some, "txHash"))).toEqual(all.map((some) => sortedBy(some, "txHash")));
    }
  });

  it("E12 a staker is pending until its start time, then active even before a block reflects it", async () => {
    const [first] = sortedBy(await validations("PENDING"), "startTimestamp");
    const { txHash, startTimestamp } = first as ListItem;
    const statusAt = async (time: number) => {
      replay.clock.nowSeconds = time;
      return (await validations()).find((one) => one["txHash"] === txHash)?.["validationStatus"];
    };
    expect([await statusAt(Number(startTimestamp) - 1), await statusAt(Number(startTimestamp))]).toEqual([
      "PENDING",
      "ACTIVE",
    ]);
  });

  it("E12 a validator without rewards is completed from its end time, others once their reward is decided", async () => {
    replay.clock.nowSeconds = chainTime + 100_000_000;
    const all = await validations();
    expect(all.filter(({ isPermissioned }) => isPermissioned)).not.toHaveLength(0);
    for (const { isPermissioned, validationStatus, rewards } of all) {
      expect(validationStatus).toBe(isPermissioned ? "COMPLETED" : "ACTIVE");
      expect(rewards).toEqual(isPermissioned ? { validationRewardAmount: "0" } : null);
    }
  });

  it("E13 a pending delegation has the potential reward of a stake that starts now, without the validator's share", async () => {
    const pending = await delegations("PENDING");
    expect(pending.length).toBeGreaterThan(3);
    for (const one of pending) {
      const seconds = Number(one["endTimestamp"]) - Number(one["startTimestamp"]);
      const stake = { seconds, amount: BigInt(String(one["amountDelegated"])) };
      const gross = potentialReward(replay.recording.network.rewards, stake, supply);
      const kept = 1_000_000n - BigInt(Math.round(Number(one["delegationFee"]) * 10_000));
      const all = String(gross);
      const net = String((kept * gross) / 1_000_000n);
      expect(one).toMatchObject({
        grossReward: all,
        netReward: net,
        estimatedGrossReward: all,
        estimatedNetReward: net,
      });
    }
  });

  it("E12 a validator whose start no block reflects yet has the potential reward of a stake that starts now", async () => {
    const [first] = sortedBy(await validations("PENDING"), "startTimestamp").filter((one) => !one["isPermissioned"]);
    const { txHash, startTimestamp } = first as ListItem;
    replay.clock.nowSeconds = Number(startTimestamp);
    const { rows } = await replay.database.pool.query(
      "SELECT weight, end_timestamp - start_timestamp AS seconds, potential_reward FROM stakers WHERE status = 'PENDING' AND NOT is_permissioned AND kind = 'VALIDATOR' ORDER BY start_timestamp LIMIT 1",
    );
    const [{ weight, seconds, potential_reward }] = rows as [Record<string, string | null>];
    expect(potential_reward).toBeNull();
    const stake = { seconds: Number(seconds), amount: BigInt(weight ?? 0) };
    const gross = potentialReward(replay.recording.network.rewards, stake, supply);
    const validation = (await validations("ACTIVE")).find((one) => one["txHash"] === txHash);
    expect(validation?.["potentialRewards"]).toEqual({
      validationRewardAmount: String(gross),
      delegationRewardAmount: "0",
    });
  });
});
