/** Requests to the node since the start or the last `reset`. */
export interface Traffic {
  /** Number of calls by method, calls in batches included. */
  readonly calls: Map<string, number>;
  /** Number of HTTP requests. */
  requests: number;
  /** Largest number of HTTP requests that were open at the same time. */
  maxInFlight: number;
  reset(): void;
}

/** Returns counters at zero. */
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
