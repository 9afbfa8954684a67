const SKEW_NS = 10_000_000n;

/** Unix time in nanoseconds. Monotonic, unless the system clock is changed by more than 10 ms. */
export interface HealthClock {
  nowNs(): bigint;
}

/** A clock with the system's time and the resolution of the process's monotonic clock. */
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
