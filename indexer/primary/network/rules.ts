import { z } from "zod";
import { quoted } from "../../../core/errors/errors.ts";
import { isObject } from "../../../core/formats/json.ts";
import type { RewardRules } from "../../../core/networks/staking-rewards.ts";
import {
  defaultUpgrades,
  UNSCHEDULED,
  UPGRADES,
  type Upgrade,
  type UpgradeTimes,
} from "../../../core/networks/upgrades.ts";

/** Parameters of the fee that an active L1 validator pays per second (ACP-77). */
export interface L1FeeRules {
  readonly capacity: bigint;
  readonly target: bigint;
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
}

/** Parameters of the P-Chain's gas price (ACP-103). */
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

export interface StakingRules extends RewardRules {
  /** In nAVAX: an auto-renewed validator stops restaking its rewards at this stake (ACP-236). */
  readonly maxValidatorStake: bigint;
}

/** The parameters that, with genesis and blocks, determine the state of a primary network. */
export interface NetworkRules {
  readonly upgrades: UpgradeTimes;
  readonly rewards: StakingRules;
  readonly l1Fees: L1FeeRules;
  readonly dynamicFees: DynamicFeeRules;
}

/** The rules that a node reports. A member is absent if the node does not have the method. */
export type NodeRules = Partial<Pick<NetworkRules, "upgrades" | "l1Fees" | "dynamicFees">>;

const REWARDS: StakingRules = {
  minConsumptionRate: 100_000n,
  maxConsumptionRate: 120_000n,
  mintingPeriodSeconds: 31_536_000n,
  supplyCap: 720_000_000_000_000_000n,
  maxValidatorStake: 3_000_000_000_000_000n,
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
  capacity: 20_000n,
  target: 10_000n,
  minPrice,
  excessConversionConstant,
});

/** The rules of mainnet and Fuji, and the defaults of any other network. */
export function defaultRules(networkId: number): NetworkRules {
  const upgrades = defaultUpgrades(networkId);
  return { upgrades, rewards: REWARDS, dynamicFees: DYNAMIC_FEES, l1Fees: L1_FEES[networkId] ?? OTHER_L1_FEES };
}

const L1_FEES: Readonly<Record<number, L1FeeRules>> = {
  1: l1Fees(512n, 1_246_488_515n),
  5: l1Fees(512n, 51_937_021n),
};
const OTHER_L1_FEES = l1Fees(1n, 865_617n);

const amount = z.union([z.number().int().nonnegative(), z.string().regex(/^\d+$/)]).transform((value) => BigInt(value));
/** Result of `platform.getValidatorFeeConfig`. */
const l1FeesAnswer = z.object({
  capacity: amount,
  target: amount,
  minPrice: amount,
  excessConversionConstant: amount,
});
/** Result of `platform.getFeeConfig`. */
const dynamicFeesAnswer = z.object({
  weights: z
    .tuple([amount, amount, amount, amount])
    .transform(([bandwidth, dbRead, dbWrite, compute]) => ({ bandwidth, dbRead, dbWrite, compute })),
  maxCapacity: amount,
  maxPerSecond: amount,
  targetPerSecond: amount,
  minPrice: amount,
  excessConversionConstant: amount,
});
const time = z.iso.datetime({ offset: true }).transform((text) => Math.floor(Date.parse(text) / 1_000));

/** Parses a result of `platform.getValidatorFeeConfig`. Throws if it has another form. */
export const parseL1Fees = (answer: unknown): L1FeeRules => l1FeesAnswer.parse(answer);

/** Parses a result of `platform.getFeeConfig`. Throws if it has another form. */
export const parseDynamicFees = (answer: unknown): DynamicFeeRules => dynamicFeesAnswer.parse(answer);

/**
 * Parses a node's upgrade file or its result of `info.upgrades`. An upgrade that is missing counts as not scheduled. Throws if the
 * answer has another form, or if an upgrade is earlier than the one before it.
 */
export function parseUpgrades(answer: unknown): UpgradeTimes {
  const members = isObject(answer) ? answer : {};
  if (!UPGRADES.some((name) => `${name}Time` in members))
    throw new Error("no member is the time of an upgrade, such as etnaTime");
  const times = UPGRADES.map((name) => timeOf(`${name}Time`, members) ?? UNSCHEDULED);
  const late = times.findIndex((one, i) => one < (times[i - 1] ?? one));
  if (late > 0) throw new Error(`${UPGRADES[late]} becomes active before ${UPGRADES[late - 1]}`);
  return Object.fromEntries(UPGRADES.map((name, i) => [name, times[i]])) as UpgradeTimes;
}

function timeOf(name: string, members: Readonly<Record<string, unknown>>): number | undefined {
  const { data, success } = time.optional().safeParse(members[name]);
  if (success) return data;
  throw new Error(`${name} must be a time such as "2024-12-16T17:00:00Z", got ${quoted(members[name])}`);
}

/** Rules as the JSON text that is stored, with amounts as decimal text. Equal rules give equal texts. */
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
  rewards: amountTexts(
    "minConsumptionRate",
    "maxConsumptionRate",
    "mintingPeriodSeconds",
    "supplyCap",
    "maxValidatorStake",
  ),
  l1Fees: amountTexts("capacity", "target", "minPrice", "excessConversionConstant"),
  dynamicFees: amountTexts(
    "maxCapacity",
    "maxPerSecond",
    "targetPerSecond",
    "minPrice",
    "excessConversionConstant",
  ).extend({ weights: amountTexts("bandwidth", "dbRead", "dbWrite", "compute") }),
});

/** Parses stored rules; null if another version, which knows other upgrades, stored them. */
export function parseRules(text: string): NetworkRules | null {
  return storedRules.safeParse(JSON.parse(text)).data ?? null;
}
