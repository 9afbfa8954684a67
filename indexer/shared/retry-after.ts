/** Milliseconds of an HTTP `retry-after` header, given as seconds or a date; null if absent or invalid. May be negative. */
export function retryAfterMs(header: string | string[] | undefined): number | null {
  if (header === undefined) return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(String(header)) - Date.now() : seconds * 1_000;
  return Number.isFinite(ms) ? ms : null;
}
