import { bech32 } from "@scure/base";

/** Human-readable parts of the networks that have their own. */
const PREFIXES: Readonly<Record<number, string>> = {
  1: "avax",
  2: "cascade",
  3: "denali",
  4: "everest",
  5: "fuji",
  10: "testing",
  12345: "local",
};

const ADDRESS_BYTES = 20;

/** An address of a primary network. */
export interface NetworkAddress {
  /** What stands before the first hyphen, as written: `P`, or any other name of a chain; null when the address is bare. */
  readonly chain: string | null;
  /** The network's human-readable part, in lower case. */
  readonly prefix: string;
  /** 20 bytes in hex, without `0x`. */
  readonly address: string;
}

/** Human-readable part of a network's addresses. */
export function addressPrefix(networkId: number): string {
  return PREFIXES[networkId] ?? "custom";
}

/** Bech32 text of an address given as 40 hex digits: `P-avax1…`, or `avax1…` for no chain. */
export function formatAddress({ chain, prefix, address }: NetworkAddress): string {
  const text = bech32.encode(prefix, bech32.toWords(Buffer.from(address, "hex")));
  return chain === null ? text : `${chain}-${text}`;
}

/** Reads an address with or without a chain before it; null when it is no Bech32 of 20 bytes. */
export function parseAddress(text: string): NetworkAddress | null {
  const hyphen = text.indexOf("-");
  const chain = hyphen < 0 ? null : text.slice(0, hyphen);
  if (chain === "") return null;
  const decoded = bech32.decodeUnsafe(text.slice(hyphen + 1));
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || bytes.length !== ADDRESS_BYTES) return null;
  return { chain, prefix: decoded.prefix, address: Buffer.from(bytes).toString("hex") };
}
