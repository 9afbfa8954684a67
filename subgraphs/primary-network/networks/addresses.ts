import { isEvmAddress } from "../../../core/address.ts";
import { formatAddress, parseAddress } from "../../../core/bech32.ts";
import { Failure, quoted } from "../../../core/errors.ts";
import { remembered } from "../identifiers/ids.ts";
import type { ServedNetwork } from "./store.ts";

/** Most addresses of a list. */
export const MOST_ADDRESSES = 200;

const CHAINS = new Set(["P", "X", "C"]);

export interface AddressListOptions {
  /** Name of the parameter. Default: `addresses`. */
  readonly name?: string;
  /** Whether EVM addresses are taken too: on the C-Chain alone, or nowhere. Default: nowhere. */
  readonly evm?: "taken" | "on the C-Chain only";
}

/**
 * Reads a comma-separated list to `0x` hex, each address once, in an order that does not depend on how it was written.
 * Bech32 needs the network's prefix and may have a chain before it. Throws `INVALID_PARAMETER` that names the bad one.
 */
export function parseAddresses(network: ServedNetwork, list: string, options: AddressListOptions = {}): string[] {
  const { name = "addresses", evm } = options;
  const found = new Set(list.split(",").map((text) => parseOne(network, text.trim(), name, evm)));
  if (found.size > MOST_ADDRESSES)
    throw new Failure("INVALID_PARAMETER", `${name} must be at most ${MOST_ADDRESSES} addresses, got ${found.size}`);
  return [...found].sort();
}

function parseOne({ hrp, network }: ServedNetwork, text: string, name: string, evm: AddressListOptions["evm"]): string {
  if (evm && isEvmAddress(text)) {
    if (evm === "taken") return text.toLowerCase();
    throw new Failure("INVALID_PARAMETER", `${name} may have 0x addresses ${evm}, got ${quoted(text)}`);
  }
  const parsed = parseAddress(text);
  if (parsed && parsed.prefix === hrp && (parsed.chain === null || CHAINS.has(parsed.chain)))
    return `0x${parsed.address}`;
  const also = evm === "taken" ? ", or 0x addresses" : "";
  throw new Failure(
    "INVALID_PARAMETER",
    `${name} must be addresses of ${network} (${hrp}1…, also after P-, X- or C-)${also}, with commas between them, got ${quoted(text)}`,
  );
}

const texts = remembered((known) => {
  const [prefix = "", address = ""] = known.split("0x");
  return formatAddress({ chain: null, prefix, address });
});

/** Bech32 text of an address in `0x` hex, without a chain before it. */
export function addressText({ hrp }: Pick<ServedNetwork, "hrp">, address: string): string {
  return texts(hrp + address);
}
