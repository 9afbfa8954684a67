const HOUR = 3_600;

/** The time at which a node accepted a vertex, from the recorded time. Both are in seconds after the genesis. */
export type AcceptedAt = (recorded: number, index: number) => number;

/** Acceptance times of nodes that did not follow the X-Chain all the time, by what the node did. */
export const UNTRUE_TIMES: readonly (readonly [name: string, acceptedAt: AcceptedAt])[] = [
  ["bootstrapped 30 days later", (time) => time + 30 * 24 * HOUR],
  ["bootstrapped at once, after all blocks", () => 400_000_000],
  ["bootstrapped an hour later", (time) => time + HOUR],
  ["was behind by a minute", (time) => time + 60],
  ["was behind by five seconds", (time) => time + 5],
  ["bootstrapped before the first wrapper of a P-Chain's block", (time) => Math.max(time, 40)],
  ["bootstrapped in the middle", (time) => Math.max(time, 185)],
  ["bootstrapped shortly before Cortina", (time) => Math.max(time, 290)],
  ["was off in the middle", (time) => (time > 100 && time < 220 ? 220 : time)],
  ["was off until after the blocks", (time) => (time > 160 ? time + HOUR : time)],
  ["had a clock that was an hour slow", (time) => time - HOUR],
  ["had a clock of another decade", (time) => time - 300_000_000],
];
