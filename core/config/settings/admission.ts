import { z } from "zod";
import { positive } from "./fields.ts";

/** The setting `admission`. */
export const admissionSettings = z.strictObject({
  heavyOperations: positive
    .default(3)
    .describe(
      "Maximum number of heavy operations (such as pages of 100 transactions of the P-Chain) that one process runs at the same time. Heavy operations that also wait for nodes or validators are counted separately, up to the same number. One caller may have all but one of them. Light operations have limits of their own. Must be less than `databasePoolSize`.",
    ),
  waitingHeavyOperations: positive
    .default(200)
    .describe(
      "Maximum number of heavy operations that wait for their turn. One caller may have half of them. Further operations get 503.",
    ),
  waitSeconds: positive
    .default(10)
    .describe(
      "Longest time that an operation waits for its turn. An operation that would probably wait longer gets 503 at once, with `Retry-After`.",
    ),
});
