import { messageOf } from "../../core/errors.ts";
import { InvalidPoint } from "../bls/invalid-point.ts";
import { parseSignature, parseUnverified, type Signature } from "../bls/signatures.ts";
import { verifyVotes } from "../bls/votes.ts";
import type { Voter, VotingNode } from "./ballot.ts";

interface Vote {
  readonly voter: Voter;
  readonly node: VotingNode;
  readonly signature: Signature;
}

/** Verifies the signatures of one message, together with those that arrive meanwhile. */
export interface VoteCounter {
  /** Verifies what a node sent as its signature, and notes the outcome at the voter and the node. */
  add(voter: Voter, node: VotingNode, bytes: Uint8Array): void;
}

export interface VoteCounterOptions {
  readonly unsignedBytes: Uint8Array;
  /** Called after votes were verified. */
  readonly onCounted: () => void;
  readonly onValid: (voter: Voter, signature: Signature) => void;
  /** Called if the verification itself fails, which is a bug. */
  readonly onError: (error: unknown) => void;
}

export function createVoteCounter({ unsignedBytes, onCounted, onValid, onError }: VoteCounterOptions): VoteCounter {
  let waiting: Vote[] = [];
  let isCounting = false;
  const countWaiting = async () => {
    while (waiting.length > 0) {
      const votes = waiting.filter((vote) => {
        if (vote.voter.signature) settle(vote.node, null);
        return vote.voter.signature === null;
      });
      waiting = [];
      const valid = await verifyVotes(
        unsignedBytes,
        votes.map(({ voter, signature }) => ({ publicKey: voter.validator.publicKey, signature })),
      );
      for (const [index, vote] of votes.entries()) judge(vote, valid[index] === true);
      onCounted();
    }
  };
  const count = async () => {
    isCounting = true;
    try {
      await countWaiting();
    } catch (error) {
      onError(error);
    } finally {
      isCounting = false;
    }
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
      if (!isCounting) void count();
    },
  };
}

function settle(node: VotingNode, reason: string | null): void {
  node.state = "settled";
  node.cause = reason === null ? null : { kind: "invalid", reason };
}

/** Why a signature that `parseUnverified` accepts is not valid. */
function reasonAgainst({ bytes }: Signature): string {
  try {
    parseSignature(bytes);
    return "its key has not signed the message so";
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
