import { cached } from "../../../core/caches/cached.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { parseId } from "../../../core/formats/cb58.ts";
import { formatId, formatNodeId, parseIdText, parseNodeId } from "../../../core/formats/id-text.ts";

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
