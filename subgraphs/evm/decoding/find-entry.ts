import type { AbiEntry } from "../../../core/abi/abi-entry.ts";
import { mapYielding } from "../../../core/async/yield-to-event-loop.ts";
import type { EvmContext } from "../context.ts";
import type { AbiKey, AddedEntry } from "./abi-store.ts";
import { bundledEntries } from "./bundled-abis.ts";
import { decodeCall, SELECTOR_LENGTH } from "./decode.ts";
import type { AbiSource, DecodedCall } from "./types.ts";

/**
 * Decodes by the first entry that can: by added ABIs, then by bundled interfaces. Null if none can. The statements for all that one request
 * decodes at once are run together.
 */
export async function decodeWith<Decoded>(
  key: AbiKey,
  decode: (entry: AbiEntry, source: AbiSource) => Decoded | null,
  context: EvmContext,
): Promise<Decoded | null> {
  const added = (await context.load.abiEntries(key))?.entries ?? [];
  return (await firstDecoded(added, decode)) ?? firstDecoded(await bundledOf(key, context), decode);
}

/** Long data takes some milliseconds, so that a page of it must not block other requests. */
async function firstDecoded<Decoded>(
  entries: readonly AddedEntry[],
  decode: (entry: AbiEntry, source: AbiSource) => Decoded | null,
): Promise<Decoded | null> {
  for (const { entry, source } of entries) {
    const [decoded = null] = await mapYielding([entry], () => decode(entry, source));
    if (decoded !== null) return decoded;
  }
  return null;
}

/** ERC-20 and ERC-721 have functions with the same types, but other names of parameters: of these, an NFT collection has the second one. */
async function bundledOf(
  { chainId, address, kind, selector }: AbiKey,
  { load }: EvmContext,
): Promise<readonly AddedEntry[]> {
  const entries = bundledEntries(kind, selector).map((entry) => ({ entry, source: "BUNDLED" as const }));
  if (kind !== "function" || entries.length < 2) return entries;
  return (await load.nftCollection({ chainId, address })) ? entries.toReversed() : entries;
}

/** Call data or the output of a failed call of a contract. `address` is null if the call creates a contract. */
interface Data {
  readonly chainId: string;
  readonly address: string | null;
  readonly data: string | null;
}

/** Null if there is no selector, or nothing that is known decodes the data. */
export async function decodeData(
  kind: "function" | "error",
  { chainId, address, data }: Data,
  context: EvmContext,
): Promise<DecodedCall | null> {
  if (address === null || data === null || data.length < SELECTOR_LENGTH) return null;
  const key = { chainId, address, kind, selector: data.slice(0, SELECTOR_LENGTH) };
  return decodeWith(key, (entry, source) => decodeCall(entry, data, source), context);
}
