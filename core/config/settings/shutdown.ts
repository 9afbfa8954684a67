import { z } from "zod";

/** The setting `shutdown`. */
export const shutdownSettings = z.strictObject({
  delaySeconds: z
    .number()
    .int()
    .min(0)
    .max(300)
    .default(0)
    .describe(
      "How long a process still accepts connections after SIGTERM. Its probes fail during this time, so that load balancers send their requests elsewhere.",
    ),
  limitSeconds: z
    .number()
    .int()
    .min(1)
    .max(300)
    .default(10)
    .describe(
      "How long a process waits after `delaySeconds` for running requests before it closes their connections. The process ends at the latest 15 seconds later.",
    ),
});
