const FIRST_REST_MS = 1_000;
const LAST_REST_MS = 300_000;

/** Addresses that are left alone for a while: a second after the first failure, then twice as long each time. */
export interface Rests {
  /** Those that rest now. */
  resting(): string[];
  begin(address: string): void;
  /** The address did well: its failures are forgotten. */
  end(address: string): void;
}

/** In memory: after a start everything may be tried again. */
export function createRests(): Rests {
  const rests = new Map<string, { readonly untilMs: number; readonly restMs: number }>();
  return {
    resting: () => [...rests].filter(([, { untilMs }]) => untilMs > performance.now()).map(([address]) => address),
    begin(address) {
      const restMs = Math.min(LAST_REST_MS, 2 * (rests.get(address)?.restMs ?? FIRST_REST_MS / 2));
      rests.set(address, { untilMs: performance.now() + restMs, restMs });
    },
    end: (address) => void rests.delete(address),
  };
}
