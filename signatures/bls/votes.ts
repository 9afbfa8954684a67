import { asyncAggregateWithRandomness, verify } from "@chainsafe/blst";
import { errorCode } from "../../core/errors/errors.ts";
import type { PublicKey } from "./keys.ts";
import type { Signature } from "./signatures.ts";

/** A validator's signature of a message. `parseUnverified` is enough: the point need not be of the group. */
export interface Vote {
  readonly publicKey: PublicKey;
  readonly signature: Signature;
}

/**
 * Largest number of votes that are verified together. blst reads the signatures of a batch on the calling thread, 50 µs each,
 * so larger batches would block the event loop; smaller ones would verify more often, 700 µs each time.
 */
const MAX_BATCH = 64;

/**
 * Verifies signatures of one message. Returns for each vote whether it is valid.
 *
 * The keys and signatures of a batch are multiplied by random numbers before they are added, so invalid signatures cannot cancel
 * out. libuv's thread pool does the multiplications.
 */
export async function verifyVotes(message: Uint8Array, votes: readonly Vote[]): Promise<boolean[]> {
  const judged: boolean[] = [];
  for (let start = 0; start < votes.length; start += MAX_BATCH)
    judged.push(...(await verifyBatch(message, votes.slice(start, start + MAX_BATCH))));
  return judged;
}

/** Verifies a batch of at least one vote. An invalid batch is halved until the invalid votes are found. */
async function verifyBatch(message: Uint8Array, votes: readonly Vote[]): Promise<boolean[]> {
  if (await areAllValid(message, votes)) return votes.map(() => true);
  if (votes.length === 1) return [false];
  const middle = votes.length >> 1;
  return [
    ...(await verifyBatch(message, votes.slice(0, middle))),
    ...(await verifyBatch(message, votes.slice(middle))),
  ];
}

async function areAllValid(message: Uint8Array, votes: readonly Vote[]): Promise<boolean> {
  const sets = votes.map(({ publicKey, signature }) => ({ pk: publicKey.point, sig: signature.bytes }));
  const sum = await asyncAggregateWithRandomness(sets).catch(nullIfOutsideGroup);
  return sum !== null && verify(message, sum.pk, sum.sig);
}

/** blst checks each point of a batch. It gives this code if one is outside the group or infinity. */
function nullIfOutsideGroup(error: unknown): null {
  if (errorCode(error) === "GenericFailure") return null;
  throw error;
}
