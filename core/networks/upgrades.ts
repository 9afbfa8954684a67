/** Names of the upgrades in the order of their activation. `info.upgrades` calls their times `<name>Time`. */
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

/** Activation times of the upgrades, in seconds. */
export type UpgradeTimes = Readonly<Record<Upgrade, number>>;

/** The members of `info.upgrades` that are not times. */
export interface UpgradeParameters {
  readonly apricotPhase4MinPChainHeight: number;
  readonly cortinaXChainStopVertexId: string;
  readonly graniteEpochNanoseconds: string;
}

/** Activation time of an upgrade that is not scheduled: 9999-12-01. */
export const UNSCHEDULED = 253_399_622_400;
/**
 * Default activation time of the upgrades of networks other than mainnet and Fuji: 2020-12-05T05:00. Helicon is not scheduled
 * there.
 */
const FROM_THE_START = 1_607_144_400;

const seconds = (text: string): number => Date.parse(text) / 1_000;
const timesOf = (texts: readonly string[]): UpgradeTimes =>
  Object.fromEntries(UPGRADES.map((name, i) => [name, texts[i] ? seconds(texts[i]) : UNSCHEDULED])) as UpgradeTimes;

const MAINNET_UPGRADES = timesOf([
  "2021-03-31T14:00Z",
  "2021-05-10T11:00Z",
  "2021-08-24T14:00Z",
  "2021-09-22T21:00Z",
  "2021-12-02T18:00Z",
  "2022-09-05T01:30Z",
  "2022-09-06T20:00Z",
  "2022-09-07T03:00Z",
  "2022-10-18T16:00Z",
  "2023-04-25T15:00Z",
  "2024-03-06T16:00Z",
  "2024-12-16T17:00Z",
  "2025-04-08T15:00Z",
  "2025-11-19T16:00Z",
]);
const FUJI_UPGRADES = timesOf([
  "2021-03-26T14:00Z",
  "2021-05-05T14:00Z",
  "2021-08-16T19:00Z",
  "2021-09-16T21:00Z",
  "2021-11-24T15:00Z",
  "2022-09-06T20:00Z",
  "2022-09-06T20:00Z",
  "2022-09-07T06:00Z",
  "2022-10-03T14:00Z",
  "2023-04-06T15:00Z",
  "2024-02-13T16:00Z",
  "2024-11-25T16:00Z",
  "2025-03-13T15:00Z",
  "2025-10-29T15:00Z",
  "2026-07-28T15:00Z",
]);
const OTHER_UPGRADES: UpgradeTimes = {
  ...(Object.fromEntries(UPGRADES.map((name) => [name, FROM_THE_START])) as UpgradeTimes),
  helicon: UNSCHEDULED,
};

const TIMES: Readonly<Record<number, UpgradeTimes>> = { 1: MAINNET_UPGRADES, 5: FUJI_UPGRADES };

const FIVE_MINUTES = "300000000000";
const PARAMETERS: Readonly<Record<number, UpgradeParameters>> = {
  1: {
    apricotPhase4MinPChainHeight: 793_005,
    cortinaXChainStopVertexId: "jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga",
    graniteEpochNanoseconds: FIVE_MINUTES,
  },
  5: {
    apricotPhase4MinPChainHeight: 47_437,
    cortinaXChainStopVertexId: "2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ",
    graniteEpochNanoseconds: FIVE_MINUTES,
  },
};
const OTHER_PARAMETERS: UpgradeParameters = {
  apricotPhase4MinPChainHeight: 0,
  cortinaXChainStopVertexId: "11111111111111111111111111111111LpoYY",
  graniteEpochNanoseconds: "30000000000",
};

/** The upgrade times of mainnet and Fuji, and the defaults of any other network. */
export const defaultUpgrades = (networkId: number): UpgradeTimes => TIMES[networkId] ?? OTHER_UPGRADES;

/** The upgrade parameters of mainnet and Fuji, and the defaults of any other network. */
export const upgradeParameters = (networkId: number): UpgradeParameters => PARAMETERS[networkId] ?? OTHER_PARAMETERS;
