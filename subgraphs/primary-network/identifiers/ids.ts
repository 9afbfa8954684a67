import { parseId } from "../../../core/cb58.ts";
import { Failure, quoted } from "../../../core/errors.ts";
import { formatId, formatNodeId, parseIdText, parseNodeId } from "../../../core/id-text.ts";

const CACHE_SIZE = 50_000;

/** A function of texts that remembers its last 50,000 results. */
export function remembered(format: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = format(text);
    if (known.size >= CACHE_SIZE) known.delete(known.keys().next().value as string);
    known.set(text, result);
    return result;
  };
}

/** CB58 of an id in `0x` hex, as statements give it. */
export const idText = remembered((hex) => formatId(hex.slice(2)));

/** `NodeID-…` of 20 bytes in `0x` hex. */
export const nodeIdText = remembered((hex) => formatNodeId(hex.slice(2)));

/** `0x` hex of a caller's 32-byte id (CB58, or 64 hex digits). Throws `INVALID_PARAMETER` that names the parameter. */
export function parseIdParameter(name: string, text: string): string {
  const cb58 = parseId(text);
  if (cb58 === null)
    throw new Failure("INVALID_PARAMETER", `${name} must be a 32-byte id, as CB58 or hex, got ${quoted(text)}`);
  return `0x${parseIdText(cb58)}`;
}

/** `0x` hex of a caller's node id. Throws `INVALID_PARAMETER` that names the parameter. */
export function parseNodeIdParameter(name: string, text: string): string {
  const hex = parseNodeId(text);
  if (hex === null) throw new Failure("INVALID_PARAMETER", `${name} must be NodeID- and an id, got ${quoted(text)}`);
  return `0x${hex}`;
}
