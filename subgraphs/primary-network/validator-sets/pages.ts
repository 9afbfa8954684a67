import { Failure } from "../../../core/errors/errors.ts";
import { Page } from "../../../core/graph/connection-page.ts";
import { partOf, requireHeads } from "../../../core/graph/page.ts";
import { completed, MAX_FURTHER_STATEMENTS } from "../../shared/rows/completed.ts";
import { COUNT_LIMIT, totalOf } from "../../shared/rows/list-reader.ts";
import { momentOf } from "../../shared/schema/state-at.ts";
import { blockAt } from "../blocks/block-at.ts";
import type { PrimaryContext } from "../context.ts";
import type { Member, ValidatorSet, ValidatorSetKey } from "./store.ts";
import type { ValidatorSetArgs } from "./types.ts";

const LIST = "validatorSet";

/** A page whose members know the height after which the subnet has this validator set. */
type MembersPage = Page<Member> & { readonly blockNumber: string };

/**
 * Reads a page of the validator set of a subnet (`0x` hex) after the block that `at` selects. All pages are of the same block. Throws
 * `INVALID_PARAMETER` for an invalid page and for a block that is not indexed.
 */
export async function readValidatorSet(
  { networkId, subnetId }: { readonly networkId: string; readonly subnetId: string },
  { at, size, cursor, isBackward }: ValidatorSetArgs,
  context: PrimaryContext,
): Promise<MembersPage> {
  const { load, pageTokens } = context;
  const moment = momentOf(at);
  const parameters = [networkId, subnetId, moment?.block ?? null, moment?.time ?? null];
  const start = pageTokens.read(LIST, parameters, cursor);
  const [blockNumber = (await blockAt(networkId, "P", moment, context)).blockNumber, first = null] =
    start?.position ?? [];
  const read = async (part: Pick<ValidatorSetKey, "entryId" | "isBackward" | "size">): Promise<ValidatorSet> => {
    const found = await load.validatorSet({ networkId, subnetId, blockNumber, ...part });
    if (found) return found;
    throw new Failure("UNAVAILABLE", `p-chain of network ${networkId} is not indexed yet`);
  };
  const loadPart = (entryId: string | null, size: number) => read({ entryId, isBackward, size });
  const found = await loadPart(first, size + 1);
  const heads = [found.head];
  if (start) requireHeads(start.heads, heads);
  const { items, nextPlace } = await completed(found, size + 1, loadPart, MAX_FURTHER_STATEMENTS);
  const place = items.length > size ? null : nextPlace;
  const cursorOf = (entryId: string) => pageTokens.sign(LIST, parameters, { position: [blockNumber, entryId], heads });
  const { items: members, context: known } = partOf(items, {
    size,
    isBackward,
    isContinued: start !== null,
    cursorOf: ({ entryId }) => cursorOf(entryId),
    async count() {
      const { items, lastCandidate } = await read({ entryId: null, isBackward: false, size: COUNT_LIMIT });
      return lastCandidate === null ? totalOf(items.length) : { count: String(items.length), isExact: false };
    },
  });
  if (place === null) return new Page(members, known).with({ blockNumber });
  const atPlace = () => cursorOf(place);
  const further = isBackward
    ? { hasPreviousPage: true, startCursor: atPlace }
    : { hasNextPage: true, endCursor: atPlace };
  return new Page(members, { ...known, ...further }).with({ blockNumber });
}
