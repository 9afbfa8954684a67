/** `part` of `whole` in percent, truncated to eight decimals; 0 if `whole` is 0. */
export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10n ** 10n) / whole) / 10 ** 8;
}
