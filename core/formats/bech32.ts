import { bech32 } from "@scure/base";
import { messageOf } from "../errors/errors.ts";
import { readShortAddress, writeShortAddress } from "./short-address.ts";

/** Bech32 prefixes of the networks that have a prefix of their own. */
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
  /** The chain alias before the first hyphen, as written, such as `P`; null without one. */
  readonly chain: string | null;
  /** The network's Bech32 prefix, in lower case. */
  readonly prefix: string;
  /** 20 bytes in hex, without `0x`. */
  readonly address: string;
}

/** Bech32 prefix of a network's addresses; `custom` for networks without their own. */
export function addressPrefix(networkId: number): string {
  return PREFIXES[networkId] ?? "custom";
}

/** Bech32 text of an address: `P-avax1…`, or `avax1…` without a chain. */
export function formatAddress({ chain, prefix, address }: NetworkAddress): string {
  const text = writeShortAddress(prefix, address) ?? bech32.encode(prefix, bech32.toWords(Buffer.from(address, "hex")));
  return chain === null ? text : `${chain}-${text}`;
}

/** True for text that is Bech32 except for its checksum, with or without a chain alias. */
export function hasWrongChecksum(text: string): boolean {
  try {
    bech32.decode(text.slice(text.indexOf("-") + 1) as `${string}1${string}`);
    return false;
  } catch (error) {
    return messageOf(error).startsWith("Invalid checksum");
  }
}

/** Parses an address with or without a chain alias; null if it is not Bech32 of 20 bytes. */
export function parseAddress(text: string): NetworkAddress | null {
  const hyphen = text.indexOf("-");
  const chain = hyphen < 0 ? null : text.slice(0, hyphen);
  if (chain === "") return null;
  const bare = text.slice(hyphen + 1);
  const short = readShortAddress(bare);
  if (short) return { chain, ...short };
  const decoded = bech32.decodeUnsafe(bare);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || bytes.length !== ADDRESS_BYTES) return null;
  return { chain, prefix: decoded.prefix, address: Buffer.from(bytes).toString("hex") };
}
