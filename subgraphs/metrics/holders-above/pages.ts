import { Failure, quoted } from "../../../core/errors/errors.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import { requireHeads } from "../../../core/graph/page.ts";
import { completed } from "../../shared/rows/completed.ts";
import { COUNT_LIMIT, totalOf } from "../../shared/rows/list-reader.ts";
import { LATEST, secondsOf } from "../../shared/schema/times.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import type { Erc20HolderConnection } from "../holders/types.ts";
import { withState } from "../holders/with-state.ts";
import { checkedPage } from "../page-tokens/checked-page.ts";
import { metricsPageOf } from "../page-tokens/metrics-page.ts";
import { CURSOR_FORM, cursorAfter } from "./cursor.ts";
import type { StoredHoldersAbove } from "./store.ts";

const LIST = "holdersAbove";
const MAX_DIGITS = 1_000;

export interface HoldersAboveRequest {
  readonly token: Erc20Token;
  readonly threshold: string;
  /** Times in seconds, as decimal text. */
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
  readonly page: PageRange;
}

/**
 * Reads a page of the addresses that held more than the threshold at some moment of a time frame. Throws `INVALID_PARAMETER` with
 * every violated rule, or `UNAVAILABLE` if the chain is not indexed.
 */
export async function readHoldersAbove(
  { token, page, ...request }: HoldersAboveRequest,
  context: MetricsContext,
): Promise<Erc20HolderConnection> {
  const { chainId, address: tokenAddress } = token;
  const from = secondsOf(request.from, 0);
  const to = secondsOf(request.to, LATEST);
  const threshold = parseThreshold(request.threshold);
  const violations = threshold instanceof Failure ? [threshold] : [];
  const parameters = [chainId, tokenAddress, violations.length > 0 ? null : threshold, from, to];
  const { size, start } = checkedPage({ list: LIST, parameters, page, form: CURSOR_FORM, violations }, context);
  const isEmpty = request.to ? BigInt(request.from || 0) >= BigInt(request.to) : false;
  const list = { chainId, tokenAddress, threshold: String(threshold), from, to };
  const loadPart = async (after: string | null, size: number): Promise<StoredHoldersAbove> =>
    requireIndexed(chainId, await context.load.holdersAbove({ ...list, after, size }), context, `chain ${chainId}`);
  const wanted = isEmpty ? 0 : size + 1;
  const found = await loadPart(start?.cursor ?? null, wanted);
  if (start) requireHeads([start.head], [found.head]);
  if (found.isLost) throw lostPlace();
  const { items: holders, nextPlace } = await completed(found, wanted, (place, size) =>
    loadPart(cursorAfter(found.pinnedBlock, place), size),
  );
  const above = metricsPageOf(
    holders,
    {
      size,
      isBackward: false,
      isContinued: start !== null,
      list: LIST,
      parameters,
      form: CURSOR_FORM,
      positionOf: (holder) => cursorAfter(found.pinnedBlock, holder),
      nextPlace: nextPlace && cursorAfter(found.pinnedBlock, nextPlace),
      head: found.head,
      count: async () => {
        if (isEmpty) return totalOf(0);
        const { items: holders, lastCandidate } = await loadPart(null, COUNT_LIMIT);
        return lastCandidate ? { count: String(holders.length), isExact: false } : totalOf(holders.length);
      },
    },
    context,
  );
  return above.withNodes(withState(above.nodes, token, found.blockHash));
}

const lostPlace = (): Failure =>
  new Failure(
    "INVALID_PARAMETER",
    "a reorganisation has removed the address at which the page before ended: start again from the first page",
  );

/** The threshold without leading zeros, or the rule that it violates. */
function parseThreshold(text: string): string | Failure {
  const rule = !/^\d+$/.test(text)
    ? "must be a non-negative integer"
    : text.length > MAX_DIGITS
      ? `must have at most ${MAX_DIGITS} digits`
      : null;
  return rule === null
    ? BigInt(text).toString()
    : new Failure("INVALID_PARAMETER", `threshold ${rule}, got ${quoted(text)}`);
}
