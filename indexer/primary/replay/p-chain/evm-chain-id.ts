const DIGITS = /^\d{1,78}$/;

/** `config.chainId` of a JSON genesis if it is a whole number; null for any other genesis. */
export function evmChainIdOf(genesis: Buffer): bigint | null {
  // Parses only genesis data that begins with `{`.
  if (genesis[0] !== 0x7b) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(genesis.toString("utf8"));
  } catch {
    return null;
  }
  const { config } = parsed as { config?: { chainId?: unknown } | null };
  const id = typeof config === "object" && config !== null ? config.chainId : null;
  return typeof id === "number" && DIGITS.test(String(id)) ? BigInt(id) : null;
}
