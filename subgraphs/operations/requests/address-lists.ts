import { mapYielding } from "../../../core/async/yield-to-event-loop.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { isEvmAddress } from "../../../core/formats/address.ts";
import { hasWrongChecksum, type NetworkAddress, parseAddress } from "../../../core/formats/bech32.ts";
import { invalid, sortedUnique } from "./invalid.ts";

/** Maximum number of different addresses in a request. */
const MAX_ADDRESSES = 1_000;

const CHAIN_PREFIXES: ReadonlySet<string | null> = new Set([null, "P", "X", "C"]);

/** A Bech32 address of a request. */
export interface ListedAddress extends NetworkAddress {
  /** Path of the member, such as `options.addresses[0]`. */
  readonly path: string;
  /** As the caller wrote it. */
  readonly text: string;
}

/**
 * Parses EVM addresses to sorted lower-case text without duplicates. `path` names the list in error messages. Throws
 * `INVALID_PARAMETER` for an empty list or an invalid address.
 */
export function parseEvmAddresses(path: string, list: readonly string[]): string[] {
  requireEntries(path, list);
  list.forEach((text, index) => {
    if (!isEvmAddress(text)) throw invalid(`${path}[${index}]`, "must be an EVM address: 0x and 40 hex digits", text);
  });
  return sortedUnique(list.map((text) => text.toLowerCase()));
}

/**
 * Parses Bech32 addresses of any network, in the caller's order. Rejects as `parseEvmAddresses` throws. Yields to the event loop: the longest
 * body has 20,000 addresses, which take 80 ms.
 */
export async function parseBech32Addresses(path: string, list: readonly string[]): Promise<ListedAddress[]> {
  requireEntries(path, list);
  return mapYielding(list, (text, index) => {
    const parsed = parseAddress(text);
    if (parsed && CHAIN_PREFIXES.has(parsed.chain)) return { ...parsed, path: `${path}[${index}]`, text };
    throw invalid(`${path}[${index}]`, bech32Rule(text), text);
  });
}

/** Returns the rule that an invalid address breaks. */
function bech32Rule(text: string): string {
  if (hasWrongChecksum(text)) return "must be a Bech32 address: the checksum is wrong";
  return "must be a Bech32 address, optionally after P-, X- or C-";
}

/** Throws if the list has no entries. */
export function requireEntries(path: string, list: readonly string[]): void {
  if (list.length === 0) throw invalid(path, "must not be empty", list);
}

/** Throws if a request has more than 1,000 different addresses. `what` names the lists. */
export function requireFewAddresses(what: string, count: number): void {
  if (count > MAX_ADDRESSES)
    throw new Failure(
      "INVALID_PARAMETER",
      `${what} must have at most ${MAX_ADDRESSES} different addresses, got ${count}`,
    );
}
