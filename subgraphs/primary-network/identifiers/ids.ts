import { parseId } from "../../../core/cb58.ts";
import { Failure, quoted } from "../../../core/errors.ts";
import { formatId, formatNodeId, parseIdText, parseNodeId } from "../../../core/id-text.ts";

const CACHE_SIZE = 50_000;

/** Wraps a pure function of a string in a cache of 50,000 results; the oldest entry is evicted first. */
export function cached(format: (text: string) => string): (text: string) => string {
  const results = new Map<string, string>();
  return (text) => {
    const found = results.get(text);
    if (found !== undefined) return found;
    const result = format(text);
    if (results.size >= CACHE_SIZE) results.delete(results.keys().next().value as string);
    results.set(text, result);
    return result;
  };
}

/** CB58 text of a 32-byte ID in `0x` hex. */
export const idText = cached((hex) => formatId(hex.slice(2)));

/** `NodeID-…` text of a node ID in `0x` hex. */
export const nodeIdText = cached((hex) => formatNodeId(hex.slice(2)));

/** Parses a 32-byte ID (CB58, or 64 hex digits) to `0x` hex. Throws `INVALID_PARAMETER` that names the parameter. */
export function parseIdParameter(name: string, text: string): string {
  const cb58 = parseId(text);
  if (cb58 === null)
    throw new Failure("INVALID_PARAMETER", `${name} must be a 32-byte id, as CB58 or hex, got ${quoted(text)}`);
  return `0x${parseIdText(cb58)}`;
}

/** Parses a node ID to `0x` hex. Throws `INVALID_PARAMETER` that names the parameter. */
export function parseNodeIdParameter(name: string, text: string): string {
  const hex = parseNodeId(text);
  if (hex === null)
    throw new Failure("INVALID_PARAMETER", `${name} must be a node ID, as NodeID-…, got ${quoted(text)}`);
  return `0x${hex}`;
}
