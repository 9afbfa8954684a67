import type { Clock } from "../clock.ts";
import type { SignatureAnswer } from "../p2p/request-signatures.ts";
import type { SignatureTransport } from "../p2p/transport.ts";
import type { SigningTask } from "../signing-task.ts";
import {
  type Ballot,
  type Cause,
  causeOf,
  hasFailed,
  hasSigned,
  isUnderWay,
  type Voter,
  type VotingNode,
} from "./ballot.ts";
import { isUnsupported, kindOfRefusal } from "./refusals.ts";
import type { CollectorTimings } from "./timings.ts";

export interface ScheduleContext {
  readonly task: SigningTask;
  readonly ballot: Ballot;
  readonly transport: SignatureTransport;
  readonly clock: Clock;
  readonly timings: CollectorTimings;
  /** The moment of the request. */
  readonly startedAtMs: number;
  /** The moment at which enough voters were connected to ask them. */
  readonly beganAtMs: number;
}

/** Which voters are asked, and when. */
export interface Schedule {
  /** True if the target has signed, the quorum has become impossible, or the time is up. */
  isDone(): boolean;
  /** The nodes to ask now; they count as asked from now on. */
  takeNodes(): VotingNode[];
  /** Notes an answer without a signature. */
  note(answer: OtherAnswer): void;
  /** How long to wait if no answer or connection change arrives before; null if nothing more is to be done. */
  waitMs(): number | null;
}

type OtherAnswer = Exclude<SignatureAnswer, { kind: "signature" }>;

/** The heaviest validators with this share of the weight are asked at once. The others are asked if some of these fail. */
const FIRST_ASKED_PERCENT = 95n;
/**
 * During the first `spareMs`, validators are asked only up to the target weight plus this share of the weight, if these are at least
 * `MANY_ASKED` validators. Most answer within that time, and a signature that is not needed costs its validator 0.3 ms.
 */
const SPARE_PERCENT = 10n;
/** Among fewer validators, a single one that does not answer can be too much. */
const MANY_ASKED = 20;
/** A node is asked again this many times after its connection ended. */
const MAX_DISCONNECTIONS = 3;

export function createSchedule(context: ScheduleContext): Schedule {
  const { ballot, clock } = context;
  const isDone = () => isDecided(ballot) || clock.nowMs() >= endMs(context);
  const untilMs = createWaiting(context);
  return {
    isDone,
    takeNodes: createSelection(context),
    note: createNotes(context),
    waitMs() {
      const until = isDone() ? null : untilMs();
      return until === null ? null : Math.max(0, until - clock.nowMs());
    },
  };
}

const endMs = ({ timings, startedAtMs }: ScheduleContext): number => startedAtMs + timings.totalMs;
const spareUntilMs = ({ timings, beganAtMs }: ScheduleContext): number => beganAtMs + timings.spareMs;

/** True if the target has signed, or the quorum has become impossible. */
function isDecided(ballot: Ballot): boolean {
  if (ballot.weightWhere(hasSigned) >= ballot.targetWeight) return true;
  return ballot.weightWhere((voter) => !hasFailed(voter)) < ballot.requiredWeight && !isChainInDoubt(ballot);
}

/**
 * True if some voters, but not yet a quorum, have refused because the chain signs no messages, and the voters whose answers are
 * still open could complete that quorum. Then it is worth waiting for them.
 */
function isChainInDoubt(ballot: Ballot): boolean {
  const refusing = ballot.weightWhere(refusesChain);
  if (refusing === 0n || refusing >= ballot.requiredWeight) return false;
  return ballot.weightWhere((voter) => refusesChain(voter) || isUnderWay(voter)) >= ballot.requiredWeight;
}

function refusesChain(voter: Voter): boolean {
  const cause = hasSigned(voter) ? null : causeOf(voter);
  return cause?.kind === "refused" && isUnsupported(cause);
}

/** Which voters to ask: those whose pause is over, and the heaviest of the others until enough have signed or are asked. */
function createSelection(context: ScheduleContext): Schedule["takeNodes"] {
  const { task, ballot, transport, clock } = context;
  const shareOf = (percent: bigint) => (task.set.totalWeight * percent + 99n) / 100n;
  const first = shareOf(FIRST_ASKED_PERCENT);
  const sparing = ballot.targetWeight + shareOf(SPARE_PERCENT);
  const isSparing = () => clock.nowMs() < spareUntilMs(context);
  const areEnough = (weight: bigint, count: number) =>
    (weight >= first && weight >= ballot.targetWeight) || (weight >= sparing && count >= MANY_ASKED && isSparing());
  const dueNodes = ({ nodes }: Voter) =>
    nodes.filter(({ state, dueMs }) => state === "pausing" && dueMs <= clock.nowMs());
  const openNodes = ({ nodes }: Voter) =>
    nodes.filter(({ nodeId, state }) => state === "open" && transport.reasonOf(nodeId) === null);
  return () => {
    const expectedVoters = ballot.voters.filter((voter) => hasSigned(voter) || isUnderWay(voter));
    let expected = expectedVoters.reduce((sum, { validator }) => sum + validator.weight, 0n);
    let count = expectedVoters.length;
    const taken: VotingNode[] = [];
    for (const voter of ballot.voters) {
      if (hasSigned(voter)) continue;
      taken.push(...dueNodes(voter));
      if (areEnough(expected, count) || isUnderWay(voter)) continue;
      const nodes = openNodes(voter);
      if (nodes.length === 0) continue;
      taken.push(...nodes);
      expected += voter.validator.weight;
      count++;
    }
    for (const node of taken) {
      node.state = "asked";
      node.attempts++;
    }
    return taken;
  };
}

/** What to note of an answer without a signature: the cause, and whether the node is asked again. */
function createNotes({ task, ballot, clock, timings, beganAtMs }: ScheduleContext): Schedule["note"] {
  const { sourceChainId } = task.message;
  const fail = (node: VotingNode, cause: Cause) => {
    node.cause = cause;
    node.state = "settled";
  };
  const failForNow = (node: VotingNode, cause: Cause) => {
    fail(node, cause);
    const pauseMs = Math.min(timings.firstPauseMs * 2 ** (node.attempts - 1), timings.maxPauseMs);
    node.dueMs = clock.nowMs() + pauseMs;
    if (node.dueMs <= beganAtMs + timings.lagMs) node.state = "pausing";
  };
  return (answer) => {
    const { node } = ballot.placeOf(answer.nodeId);
    switch (answer.kind) {
      case "notSeen":
        return failForNow(node, { kind: "notSeen" });
      case "timeout":
        return fail(node, { kind: "timeout" });
      case "malformed":
        return fail(node, { kind: "invalid", reason: answer.reason });
      case "disconnected": {
        fail(node, { kind: "disconnected", reason: answer.reason });
        if (node.attempts <= MAX_DISCONNECTIONS) node.state = "open";
        return;
      }
      case "refused": {
        const { errorCode, errorMessage } = answer;
        const isForGood = kindOfRefusal(sourceChainId, answer) !== "lag";
        return (isForGood ? fail : failForNow)(node, { kind: "refused", errorCode, errorMessage });
      }
    }
  };
}

/**
 * Until when to wait: for answers and the end of pauses, or, if there are none, for connections. The function returns null if
 * nothing more can come.
 */
function createWaiting(context: ScheduleContext): () => number | null {
  const { ballot, clock, timings, startedAtMs, beganAtMs } = context;
  const connectUntilMs = () =>
    ballot.weightWhere(hasSigned) >= ballot.requiredWeight
      ? beganAtMs + timings.bufferConnectMs
      : startedAtMs + timings.connectMs;
  return () => {
    const nowMs = clock.nowMs();
    const left = ballot.voters.filter((voter) => !hasSigned(voter)).flatMap(({ nodes }) => nodes);
    const dueMs = left.filter(({ state }) => state === "pausing").map((node) => node.dueMs);
    if (left.some(({ state }) => state === "asked" || state === "verifying") || dueMs.length > 0) {
      const spareMs = nowMs < spareUntilMs(context) ? [spareUntilMs(context)] : [];
      return Math.min(endMs(context), ...dueMs, ...spareMs);
    }
    const untilMs = Math.min(endMs(context), connectUntilMs());
    const canConnect = left.some(({ state }) => state === "open");
    return canConnect && nowMs < untilMs ? untilMs : null;
  };
}
