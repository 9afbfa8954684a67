import { z } from "zod";
import type { RewardRules } from "../../core/staking-rewards.ts";

/** Upgrades in the order in which they become active, as a node names their times. */
export const UPGRADES = [
  "apricotPhase1",
  "apricotPhase2",
  "apricotPhase3",
  "apricotPhase4",
  "apricotPhase5",
  "apricotPhasePre6",
  "apricotPhase6",
  "apricotPhasePost6",
  "banff",
  "cortina",
  "durango",
  "etna",
  "fortuna",
  "granite",
  "helicon",
] as const;
export type Upgrade = (typeof UPGRADES)[number];

/** When an upgrade is active: from this time on, in seconds. */
export type UpgradeTimes = Readonly<Record<Upgrade, number>>;

/** How the price of an L1 validator's second moves (ACP-77). */
export interface L1FeeRules {
  readonly capacity: bigint;
  readonly target: bigint;
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
}

/** How the price of gas moves on the P-Chain (ACP-103). */
export interface DynamicFeeRules {
  readonly weights: {
    readonly bandwidth: bigint;
    readonly dbRead: bigint;
    readonly dbWrite: bigint;
    readonly compute: bigint;
  };
  readonly maxCapacity: bigint;
  readonly maxPerSecond: bigint;
  readonly targetPerSecond: bigint;
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
}

/** What decides, beside its genesis and its blocks, how a primary network's state becomes. */
export interface NetworkRules {
  readonly upgrades: UpgradeTimes;
  readonly rewards: RewardRules;
  readonly l1Fees: L1FeeRules;
  readonly dynamicFees: DynamicFeeRules;
}

/** Time of an upgrade that nobody has set a time for: 9999-12-01. */
export const UNSCHEDULED = 253_399_622_400;
/** Time of the upgrades that a network of one's own has from its start, where nothing else is said: 2020-12-05T05:00. */
const FROM_THE_START = 1_607_144_400;

const seconds = (text: string): number => Date.parse(text) / 1_000;
const timesOf = (texts: readonly string[]): UpgradeTimes =>
  Object.fromEntries(UPGRADES.map((name, i) => [name, texts[i] ? seconds(texts[i]) : UNSCHEDULED])) as UpgradeTimes;

const MAINNET_UPGRADES = timesOf([
  ...["2021-03-31T14:00Z", "2021-05-10T11:00Z", "2021-08-24T14:00Z", "2021-09-22T21:00Z", "2021-12-02T18:00Z"],
  ...["2022-09-05T01:30Z", "2022-09-06T20:00Z", "2022-09-07T03:00Z", "2022-10-18T16:00Z", "2023-04-25T15:00Z"],
  ...["2024-03-06T16:00Z", "2024-12-16T17:00Z", "2025-04-08T15:00Z", "2025-11-19T16:00Z"],
]);
const FUJI_UPGRADES = timesOf([
  ...["2021-03-26T14:00Z", "2021-05-05T14:00Z", "2021-08-16T19:00Z", "2021-09-16T21:00Z", "2021-11-24T15:00Z"],
  ...["2022-09-06T20:00Z", "2022-09-06T20:00Z", "2022-09-07T06:00Z", "2022-10-03T14:00Z", "2023-04-06T15:00Z"],
  ...["2024-02-13T16:00Z", "2024-11-25T16:00Z", "2025-03-13T15:00Z", "2025-10-29T15:00Z", "2026-07-28T15:00Z"],
]);
const OTHER_UPGRADES: UpgradeTimes = {
  ...(Object.fromEntries(UPGRADES.map((name) => [name, FROM_THE_START])) as UpgradeTimes),
  helicon: UNSCHEDULED,
};

const REWARDS: RewardRules = {
  minConsumptionRate: 100_000n,
  maxConsumptionRate: 120_000n,
  mintingPeriodSeconds: 31_536_000n,
  supplyCap: 720_000_000_000_000_000n,
};

const DYNAMIC_FEES: DynamicFeeRules = {
  weights: { bandwidth: 1n, dbRead: 1_000n, dbWrite: 1_000n, compute: 4n },
  maxCapacity: 1_000_000n,
  maxPerSecond: 100_000n,
  targetPerSecond: 50_000n,
  minPrice: 1n,
  excessConversionConstant: 2_164_043n,
};

const l1Fees = (minPrice: bigint, excessConversionConstant: bigint): L1FeeRules => ({
  ...{ capacity: 20_000n, target: 10_000n, minPrice, excessConversionConstant },
});

/** The rules of mainnet and Fuji, and those that any other network has unless its node or its files say otherwise. */
export function defaultRules(networkId: number): NetworkRules {
  return { rewards: REWARDS, dynamicFees: DYNAMIC_FEES, ...(KNOWN[networkId] ?? OTHER) };
}

const KNOWN: Readonly<Record<number, Pick<NetworkRules, "upgrades" | "l1Fees">>> = {
  1: { upgrades: MAINNET_UPGRADES, l1Fees: l1Fees(512n, 1_246_488_515n) },
  5: { upgrades: FUJI_UPGRADES, l1Fees: l1Fees(512n, 51_937_021n) },
};
const OTHER = { upgrades: OTHER_UPGRADES, l1Fees: l1Fees(1n, 865_617n) };

const amount = z.union([z.number().int().nonnegative(), z.string().regex(/^\d+$/)]).transform((value) => BigInt(value));
/** As `platform.getValidatorFeeConfig` answers. */
const l1FeesAnswer = z.object({
  ...{ capacity: amount, target: amount, minPrice: amount, excessConversionConstant: amount },
});
/** As `platform.getFeeConfig` answers. */
const dynamicFeesAnswer = z.object({
  weights: z
    .tuple([amount, amount, amount, amount])
    .transform(([bandwidth, dbRead, dbWrite, compute]) => ({ bandwidth, dbRead, dbWrite, compute })),
  ...{ maxCapacity: amount, maxPerSecond: amount, targetPerSecond: amount, minPrice: amount },
  excessConversionConstant: amount,
});
const time = z.iso.datetime({ offset: true }).transform((text) => Math.floor(Date.parse(text) / 1_000));

/** Reads an answer of `platform.getValidatorFeeConfig`. Throws where it is none. */
export const parseL1Fees = (answer: unknown): L1FeeRules => l1FeesAnswer.parse(answer);

/** Reads an answer of `platform.getFeeConfig`. Throws where it is none. */
export const parseDynamicFees = (answer: unknown): DynamicFeeRules => dynamicFeesAnswer.parse(answer);

/** Reads a node's upgrade file, or its answer to `info.upgrades`; an upgrade that it does not know is not scheduled. Throws where it is none. */
export function parseUpgrades(answer: unknown): UpgradeTimes {
  const members = z.record(z.string(), z.unknown()).parse(answer);
  if (!UPGRADES.some((name) => `${name}Time` in members)) throw new Error("names no upgrade");
  const times = UPGRADES.map((name) => time.optional().parse(members[`${name}Time`]) ?? UNSCHEDULED);
  const late = times.findIndex((one, i) => one < (times[i - 1] ?? one));
  if (late > 0) throw new Error(`${UPGRADES[late]} becomes active before ${UPGRADES[late - 1]}`);
  return Object.fromEntries(UPGRADES.map((name, i) => [name, times[i]])) as UpgradeTimes;
}

/** Rules as JSON, as they are stored: amounts in decimal text. Equal rules give equal texts. */
export function formatRules({ upgrades, rewards, l1Fees, dynamicFees }: NetworkRules): string {
  return JSON.stringify({ upgrades, rewards, l1Fees, dynamicFees }, (_, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).sort()) : value;
  });
}

const amountText = z.string().transform((text) => BigInt(text));
const amountTexts = <Name extends string>(...names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, amountText])) as Record<Name, typeof amountText>);
const storedRules = z.object({
  upgrades: z.object(Object.fromEntries(UPGRADES.map((name) => [name, z.number()])) as Record<Upgrade, z.ZodNumber>),
  rewards: amountTexts("minConsumptionRate", "maxConsumptionRate", "mintingPeriodSeconds", "supplyCap"),
  l1Fees: amountTexts("capacity", "target", "minPrice", "excessConversionConstant"),
  dynamicFees: amountTexts(
    ...(["maxCapacity", "maxPerSecond", "targetPerSecond", "minPrice", "excessConversionConstant"] as const),
  ).extend({ weights: amountTexts("bandwidth", "dbRead", "dbWrite", "compute") }),
});

/** Rules as they were stored; null where an older version stored them otherwise. */
export function parseRules(text: string): NetworkRules | null {
  return storedRules.safeParse(JSON.parse(text)).data ?? null;
}
