import { isObject, memberOf, parseJsonExactly } from "../../../../core/formats/json.ts";

const DIGITS = /^\d{1,78}$/;
const WHITE_SPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPENING_BRACE = 0x7b;

/** `config.chainId` of a JSON genesis if it is a whole number; null for any other genesis. */
export function evmChainIdOf(genesis: Buffer): bigint | null {
  // Only genesis data that begin like a JSON object are parsed.
  if (genesis.find((byte) => !WHITE_SPACE.has(byte)) !== OPENING_BRACE) return null;
  const parsed = parseJsonExactly(genesis.toString("utf8"));
  const config = isObject(parsed) ? memberOf(parsed, "config") : undefined;
  const id = isObject(config) ? memberOf(config, "chainId") : undefined;
  return (typeof id === "number" || typeof id === "bigint") && DIGITS.test(String(id)) ? BigInt(id) : null;
}
