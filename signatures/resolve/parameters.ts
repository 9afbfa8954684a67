import { Failure, quoted } from "../../core/errors/errors.ts";
import { parseId } from "../../core/formats/cb58.ts";
import { parseIdText } from "../../core/formats/id-text.ts";

/** Largest message and justification, in bytes. Chains accept payloads of 24 KiB. */
const MAX_BYTES = 64 * 1024;
const MAX_HEIGHT = 2n ** 64n - 1n;

/** Parses hex with or without `0x`. Throws `INVALID_PARAMETER` unless it has from 0 to 65,536 bytes. */
export function parseHexParameter(name: string, text: string): Uint8Array {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (digits.length > 2 * MAX_BYTES)
    throw invalid(`${name} must have at most ${MAX_BYTES} bytes, got ${Math.ceil(digits.length / 2)}`);
  const wrong = /[^0-9a-f]/iu.exec(digits);
  if (wrong) {
    const position = text.length - digits.length + wrong.index + 1;
    throw invalid(`${name} must be hex digits, got ${quoted(text)}: character ${position} is ${quoted(wrong[0])}`);
  }
  if (digits.length % 2 !== 0)
    throw invalid(`${name} must have an even number of hex digits, got ${digits.length}: ${quoted(text)}`);
  return Buffer.from(digits, "hex");
}

/** Parses a 32-byte id to hex without `0x`. As for other hex, `0X` is no prefix. Throws `INVALID_PARAMETER`. */
export function parseIdParameter(name: string, text: string): string {
  const id = text.startsWith("0X") ? null : parseIdText(parseId(text) ?? "");
  if (id === null) throw invalid(`${name} must be a 32-byte id, as CB58 or hex, got ${quoted(text)}`);
  return id;
}

/** Parses a height of the P-Chain; 0 is the proposed height. Throws `INVALID_PARAMETER` unless it is a number of 64 bits. */
export function parseHeightParameter(text: string): bigint {
  const height = /^\d{1,20}$/.test(text) ? BigInt(text) : null;
  if (height === null || height > MAX_HEIGHT)
    throw invalid(`pChainHeight must be an integer from 0 to ${MAX_HEIGHT}, got ${quoted(text)}`);
  return height;
}

export function invalid(message: string): Failure {
  return new Failure("INVALID_PARAMETER", message);
}
