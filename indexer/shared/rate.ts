const WINDOW_MS = 5_000;

/** A rate over the last five seconds. */
export interface Rate {
  /** Adds the count reached now; returns its growth per second, to one decimal, at least 0. */
  add(count: number): number;
}

export function createRate(): Rate {
  const samples: { readonly at: number; readonly count: number }[] = [];
  return {
    add(count) {
      const now = performance.now();
      samples.push({ at: now, count });
      while ((samples[0]?.at ?? now) < now - WINDOW_MS) samples.shift();
      const [first] = samples;
      if (!first || now <= first.at) return 0;
      const perSecond = ((count - first.count) * 1_000) / (now - first.at);
      return Math.round(Math.max(0, perSecond) * 10) / 10;
    },
  };
}
