/** What was asked of the node since the start or the last `reset`. */
export interface Traffic {
  /** Calls by method, those in batches too. */
  readonly calls: Map<string, number>;
  /** HTTP requests. */
  requests: number;
  /** Most HTTP requests that were open at once. */
  maxInFlight: number;
  reset(): void;
}

/** Nothing asked yet. */
export function createTraffic(): Traffic {
  const traffic: Traffic = {
    calls: new Map(),
    requests: 0,
    maxInFlight: 0,
    reset: () => {
      traffic.calls.clear();
      Object.assign(traffic, { requests: 0, maxInFlight: 0 });
    },
  };
  return traffic;
}
