/** Holds the event loop for this time, as work without a pause does. */
export function keepBusy(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
