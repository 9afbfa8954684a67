import { cached } from "../../../core/caches/cached.ts";
import { checksumAddress } from "../../../core/formats/address.ts";

/** `0x` hex of bytes as PostgreSQL writes them; empty text for null. */
export function hexText(bytes: string | null): string {
  return bytes === null ? "" : `0x${bytes.slice(2)}`;
}

/** `true` or `false` of a boolean as PostgreSQL writes it; empty text for null. */
export function booleanText(value: string | null): string {
  if (value === null) return "";
  return value === "t" ? "true" : "false";
}

const checksum = cached((bytes) => checksumAddress(hexText(bytes)));

/** EVM address in checksum case; empty text for null. */
export function evmAddressText(bytes: string | null): string {
  return bytes === null ? "" : checksum(bytes);
}
