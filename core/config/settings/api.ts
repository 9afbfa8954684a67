import { z } from "zod";

/** The setting `api`. */
export const apiSettings = z.strictObject({
  processes: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      "Number of processes that answer requests, on the same ports. Each uses one core, up to `databasePoolSize` + 5 database sessions, and memory of its own (docs/behaviour/processes.md). `admission`, `connectionsPerAddress` and `subscriptions` hold for each process.",
    ),
});
