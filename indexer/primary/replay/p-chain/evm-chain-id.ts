import { parseJson } from "../../../../core/json.ts";

const DIGITS = /^\d{1,78}$/;

/** `config.chainId` of a JSON genesis if it is a whole number; null for any other genesis. */
export function evmChainIdOf(genesis: Buffer): bigint | null {
  // Parses only genesis data that begins with `{`.
  if (genesis[0] !== 0x7b) return null;
  const parsed = parseJson(genesis.toString("utf8")) as { config?: { chainId?: unknown } | null } | undefined;
  const id = parsed?.config?.chainId;
  return typeof id === "number" && DIGITS.test(String(id)) ? BigInt(id) : null;
}
