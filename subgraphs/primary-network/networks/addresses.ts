import { cached } from "../../../core/caches/cached.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { isEvmAddress } from "../../../core/formats/address.ts";
import { formatAddress, parseAddress } from "../../../core/formats/bech32.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import type { ServedNetwork } from "./served-network.ts";

/** Maximum number of addresses in one list. */
export const MAX_ADDRESSES = 200;

const CHAINS = new Set(["P", "X", "C"]);

export interface AddressListOptions {
  /** Name of the parameter. Default: `addresses`. */
  readonly name?: string;
  /** Whether EVM addresses are accepted. `on the C-Chain only` rejects them with that hint. Default: rejected. */
  readonly evm?: "accepted" | "on the C-Chain only";
}

/**
 * Parses a list of addresses to sorted `0x` hex without duplicates. Bech32 addresses need the network's prefix and may start
 * with `P-`, `X-` or `C-`. Throws `INVALID_PARAMETER` that names the invalid address, or if there are more than 200.
 */
export function parseAddresses(
  network: ServedNetwork,
  list: readonly string[],
  options: AddressListOptions = {},
): string[] {
  const { name = "addresses", evm } = options;
  const found = new Set(list.map((text) => parseOne(network, text.trim(), name, evm)));
  if (found.size > MAX_ADDRESSES)
    throw new Failure("INVALID_PARAMETER", `${name} must be at most ${MAX_ADDRESSES} addresses, got ${found.size}`);
  return [...found].sort();
}

function parseOne({ hrp, network }: ServedNetwork, text: string, name: string, evm: AddressListOptions["evm"]): string {
  if (evm && isEvmAddress(text)) {
    if (evm === "accepted") return text.toLowerCase();
    throw new Failure("INVALID_PARAMETER", `${name} may have 0x addresses ${evm}, got ${quoted(text)}`);
  }
  const parsed = parseAddress(text);
  if (parsed && parsed.prefix === hrp && (parsed.chain === null || CHAINS.has(parsed.chain)))
    return `0x${parsed.address}`;
  const or0x = evm === "accepted" ? " or 0x addresses" : "";
  throw new Failure(
    "INVALID_PARAMETER",
    `${name} must be Bech32 addresses of ${network} (${hrp}1…, optionally after P-, X- or C-)${or0x}, got ${quoted(text)}`,
  );
}

const bech32 = cached((prefixAndHex) => {
  const [prefix = "", address = ""] = prefixAndHex.split("0x");
  return formatAddress({ chain: null, prefix, address });
});

/** Formats an address in `0x` hex as Bech32, without a chain prefix. */
export function addressText({ hrp }: Pick<ServedNetwork, "hrp">, address: string): string {
  return bech32(hrp + address);
}

/** Formats the addresses of a list, which is in the form that `byteList` parses. */
export function addressTexts({ hrp }: Pick<ServedNetwork, "hrp">, list: string): readonly string[] {
  if (list === "") return NO_ADDRESSES;
  const known =
    textsByPrefix.get(hrp) ?? cached((one) => byteList(one).map((address) => addressText({ hrp }, address)));
  textsByPrefix.set(hrp, known);
  return known(list);
}

const NO_ADDRESSES: readonly string[] = [];
/** Most owners have many outputs, so their lists recur. */
const textsByPrefix = new Map<string, (list: string) => readonly string[]>();
