import { asyncAggregateWithRandomness, verify } from "@chainsafe/blst";
import type { PublicKey } from "./keys.ts";
import type { Signature } from "./signatures.ts";

/** The signature of a message that a validator gave. */
export interface Vote {
  readonly publicKey: PublicKey;
  readonly signature: Signature;
}

/**
 * Verifies signatures of one message. Returns for each vote whether it is valid.
 *
 * Keys and signatures are multiplied by random numbers before they are added, so invalid signatures cannot cancel out. This work
 * runs in libuv's thread pool. An invalid batch is divided until the invalid votes are found; the event loop is free in between.
 */
export async function verifyVotes(message: Uint8Array, votes: readonly Vote[]): Promise<boolean[]> {
  if (votes.length === 0) return [];
  if (await areAllValid(message, votes)) return votes.map(() => true);
  if (votes.length === 1) return [false];
  const middle = votes.length >> 1;
  return [
    ...(await verifyVotes(message, votes.slice(0, middle))),
    ...(await verifyVotes(message, votes.slice(middle))),
  ];
}

async function areAllValid(message: Uint8Array, votes: readonly Vote[]): Promise<boolean> {
  const sets = votes.map(({ publicKey, signature }) => ({ pk: publicKey.point, sig: signature.bytes }));
  const { pk, sig } = await asyncAggregateWithRandomness(sets);
  return verify(message, pk, sig);
}
