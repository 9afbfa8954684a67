const SKEW_NS = 10_000_000n;

/** Nanoseconds since the epoch. Never back within a moment's work, and right again soon after the system's clock is set. */
export interface HealthClock {
  nowNs(): bigint;
}

/** The system's time, with the fine steps of the process's own clock. */
export function createHealthClock(): HealthClock {
  const system = () => BigInt(Date.now()) * 1_000_000n;
  let offset = system() - process.hrtime.bigint();
  return {
    nowNs() {
      const skew = system() - (offset + process.hrtime.bigint());
      if (skew > SKEW_NS || skew < -SKEW_NS) offset += skew;
      return offset + process.hrtime.bigint();
    },
  };
}
