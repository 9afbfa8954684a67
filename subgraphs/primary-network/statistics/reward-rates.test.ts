import { potentialReward } from "../../../core/networks/staking-rewards.ts";
import { rewardRatesAt } from "./reward-rates.ts";

const AVAX = 1_000_000_000n;
const rules = {
  minConsumptionRate: 100_000n,
  maxConsumptionRate: 120_000n,
  mintingPeriodSeconds: 31_536_000n,
  supplyCap: 720_000_000n * AVAX,
};
const supply = 360_000_000n * AVAX;

describe("the annual reward rates", () => {
  it("are the consumption rates while half of the capped supply is minted", () => {
    expect(rewardRatesAt({ rules, helicon: null }, supply, 0)).toEqual({
      minimumRewardRate: 10,
      maximumRewardRate: 12,
    });
  });

  it.each([
    [31_536_000, "maximumRewardRate"],
    [1, "minimumRewardRate"],
  ] as const)("are what a stake of %i seconds earns, for 365 days", (seconds, name) => {
    // So large that rounding down hardly shows.
    const amount = 10_000_000n * AVAX;
    for (const minted of [supply, 460_123_456n * AVAX, 700_000_000n * AVAX]) {
      const annual = (potentialReward(rules, { seconds, amount }, minted) * 31_536_000n) / BigInt(seconds);
      // A stake of a second earns a little more than the limit for short stakes.
      expect(rewardRatesAt({ rules, helicon: null }, minted, 0)[name]).toBeCloseTo(
        Number((annual * 10n ** 10n) / amount) / 10 ** 8,
        4,
      );
    }
  });

  it("are below what a stake earns that began when the supply was smaller", () => {
    const amount = 1_000n * AVAX;
    const reward = potentialReward(rules, { seconds: 31_536_000, amount }, supply);
    const { maximumRewardRate } = rewardRatesAt({ rules, helicon: null }, supply + 10_000_000n * AVAX, 0);
    expect(Number((reward * 10n ** 10n) / amount) / 10 ** 8).toBeGreaterThan(maximumRewardRate);
  });

  it("are 0 when the whole supply is minted, and follow the rules of Helicon", () => {
    const whole = rewardRatesAt({ rules, helicon: null }, rules.supplyCap, 0);
    expect(whole).toEqual({ minimumRewardRate: 0, maximumRewardRate: 0 });
    const after = [0, 7_776_000].map((seconds) => rewardRatesAt({ rules, helicon: 1_000 }, supply, 1_000 + seconds));
    expect(after).toEqual([
      { minimumRewardRate: 10, maximumRewardRate: 12 },
      { minimumRewardRate: 7.5, maximumRewardRate: 12 },
    ]);
  });
});
