import { messageOf } from "../../core/errors/errors.ts";
import { InvalidPoint } from "../bls/invalid-point.ts";
import { parseSignature, parseUnverified, type Signature } from "../bls/signatures.ts";
import { verifyVotes } from "../bls/votes.ts";
import { byWeight, type Voter, type VotingNode } from "./ballot.ts";

interface Vote {
  readonly voter: Voter;
  readonly node: VotingNode;
  readonly signature: Signature;
}

/** Verifies the signatures of one message in batches. Disposing it forgets those that were not verified. */
export interface VoteCounter extends Disposable {
  /** Verifies soon what a node sent as its signature, and notes the outcome at the voter and the node. */
  add(voter: Voter, node: VotingNode, bytes: Uint8Array): void;
  /** Verifies all that were added. */
  finish(): Promise<void>;
}

export interface VoteCounterOptions {
  readonly unsignedBytes: Uint8Array;
  /** The weight that is still missing. Signatures of this weight are verified at once. */
  readonly missingWeight: () => bigint;
  /** Called after votes were verified, and after bytes that are no signature. */
  readonly onCounted: () => void;
  readonly onValid: (voter: Voter, signature: Signature) => void;
  /** Called if the verification itself fails, which is a bug. */
  readonly onError: (error: unknown) => void;
}

/** This many votes are verified without waiting for others. */
const LARGE_BATCH = 64;
/** Votes wait this long for others: the verification of a batch takes 0.7 ms, and 0.07 ms for each vote. */
const PAUSE_MS = 25;

export function createVoteCounter(options: VoteCounterOptions): VoteCounter {
  const { unsignedBytes, missingWeight, onCounted, onValid, onError } = options;
  let waiting: Vote[] = [];
  let counting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const isEnough = () => missingWeight() > 0n && weightOf(waiting) >= missingWeight();
  const isDue = () => waiting.length >= LARGE_BATCH || isEnough();
  /** Takes all that wait, or the heaviest if those are enough. */
  const takeVotes = (): Vote[] => {
    for (const { voter, node } of waiting) if (voter.signature) settle(node, null);
    waiting = waiting.filter(({ voter }) => voter.signature === null);
    const taken = new Set(isEnough() ? heaviest(waiting, missingWeight()) : waiting);
    waiting = waiting.filter((vote) => !taken.has(vote));
    return [...taken];
  };
  const countWaiting = async () => {
    while (waiting.length > 0) {
      const votes = takeVotes();
      const valid = await verifyVotes(
        unsignedBytes,
        votes.map(({ voter, signature }) => ({ publicKey: voter.validator.publicKey, signature })),
      );
      for (const [index, vote] of votes.entries()) judge(vote, valid[index] === true);
      onCounted();
      if (!isDue()) return;
    }
  };
  const cancelPause = () => {
    if (timer) clearTimeout(timer);
    timer = null;
  };
  const count = () => {
    cancelPause();
    counting ??= countWaiting()
      .catch(onError)
      .finally(() => {
        counting = null;
        if (waiting.length > 0) countSoon();
      });
    return counting;
  };
  const countSoon = () => {
    if (counting) return;
    if (isDue()) void count();
    else timer ??= setTimeout(count, PAUSE_MS);
  };
  const judge = ({ voter, node, signature }: Vote, isValid: boolean) => {
    settle(node, isValid ? null : reasonAgainst(signature));
    if (!isValid || voter.signature) return;
    voter.signature = signature;
    onValid(voter, signature);
  };
  return {
    add(voter, node, bytes) {
      const signature = parsed(node, bytes);
      if (!signature) return onCounted();
      node.state = "verifying";
      waiting.push({ voter, node, signature });
      countSoon();
    },
    async finish() {
      while (counting || waiting.length > 0) await count();
    },
    [Symbol.dispose]() {
      waiting = [];
      cancelPause();
    },
  };
}

function weightOf(votes: readonly Vote[]): bigint {
  return votes.reduce((sum, { voter }) => sum + voter.validator.weight, 0n);
}

/** The fewest votes that have the weight. */
function heaviest(votes: readonly Vote[], weight: bigint): Vote[] {
  const sorted = votes.toSorted((one, other) => byWeight(one.voter, other.voter));
  let sum = 0n;
  const count = sorted.findIndex(({ voter }) => {
    sum += voter.validator.weight;
    return sum >= weight;
  });
  return sorted.slice(0, count + 1);
}

function settle(node: VotingNode, reason: string | null): void {
  node.state = "settled";
  node.cause = reason === null ? null : { kind: "invalid", reason };
}

/** Why a signature that `parseUnverified` accepts is not valid. */
function reasonAgainst({ bytes }: Signature): string {
  try {
    parseSignature(bytes);
    return "it is not the signature of the message by the validator's key";
  } catch (error) {
    return messageOf(error);
  }
}

/** Null if the bytes are no signature; the reason is noted at the node. */
function parsed(node: VotingNode, bytes: Uint8Array): Signature | null {
  try {
    return parseUnverified(bytes);
  } catch (error) {
    if (!(error instanceof InvalidPoint)) throw error;
    settle(node, messageOf(error));
    return null;
  }
}
