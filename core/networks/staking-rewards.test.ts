import { potentialReward, rewardRulesAt } from "./staking-rewards.ts";

const HELICON = 1_785_250_800;
const STAKE = { seconds: 14 * 86_400, amount: 1_234_567_890_123_456n };
const SUPPLY = 460_000_000_000_000_000n;

/** Computed by a node: rewards of stakes that start this many seconds after Helicon. */
const OFFSETS = [-1, 0, 311, 312, 1_000_000, 3_888_000, 7_775_999, 7_776_000, 90_000_000];
const REWARDS: readonly [least: bigint, most: bigint, rewards: readonly bigint[]][] = [
  [
    100_000n,
    120_000n,
    [
      2_697_022_224_178n,
      2_697_022_224_178n,
      2_697_022_224_178n,
      2_696_996_485_874n,
      2_614_273_578_604n,
      2_375_293_431_122n,
      2_053_590_376_370n,
      2_053_564_638_067n,
      2_053_564_638_067n,
    ],
  ] as const,
  [
    20_000n,
    90_000n,
    [
      607_159_978_689n,
      607_159_978_689n,
      607_211_455_296n,
      607_211_455_296n,
      789_206_998_951n,
      1_314_963_323_411n,
      2_022_740_929_830n,
      2_022_766_668_133n,
      2_022_766_668_133n,
    ],
  ] as const,
  [20_000n, 74_999n, OFFSETS.map(() => 591_759_967_123n)] as const,
];

describe("the reward of a stake on the primary network", () => {
  it.each(REWARDS)(
    "changes over 90 days after Helicon from the rate %d to %d, as a node computes it",
    (least, most, rewards) => {
      const rules = {
        minConsumptionRate: least,
        maxConsumptionRate: most,
        mintingPeriodSeconds: 31_536_000n,
        supplyCap: 720_000_000_000_000_000n,
      };
      const ours = OFFSETS.map((offset) =>
        potentialReward(rewardRulesAt(rules, HELICON, HELICON + offset), STAKE, SUPPLY),
      );
      expect(ours).toEqual(rewards);
    },
  );
});
