type Report = Readonly<Record<string, unknown>>;

/** Adds the failed check `shuttingDown` to health reports. */
export interface ShutdownCheck {
  addTo(report: Report): Report;
}

/** Changes no report before the signal is aborted, or if the graph has added the check itself. */
export function createShutdownCheck(signal: AbortSignal | undefined): ShutdownCheck {
  let check: Report | undefined;
  signal?.addEventListener("abort", () => {
    check = checkAt(new Date().toISOString());
  });
  return {
    addTo(report) {
      if (!check) return report;
      const checks = report["checks"] as readonly Report[];
      if (checks.some(({ name }) => name === "shuttingDown")) return report;
      return { ...report, healthy: false, checks: [...checks, check].sort(byName) };
    },
  };
}

const byName = (a: Report, b: Report): number => (String(a["name"]) < String(b["name"]) ? -1 : 1);

function checkAt(timestamp: string): Report {
  return {
    name: "shuttingDown",
    message: { isShuttingDown: true },
    error: "server shutting down",
    timestamp,
    duration: "0",
    contiguousFailures: 1,
    timeOfFirstFailure: timestamp,
  };
}
