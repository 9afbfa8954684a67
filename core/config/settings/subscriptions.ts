import { z } from "zod";
import { positive } from "./fields.ts";

/** The setting `subscriptions`. */
export const subscriptionSettings = z.strictObject({
  operationsPerSocket: positive
    .default(250)
    .describe("Maximum number of operations that run at the same time on one WebSocket. Further ones are refused."),
  connectionsPerCaller: z
    .number()
    .int()
    .min(0)
    .default(100)
    .describe(
      "Maximum number of WebSockets and event streams that one caller (API key, or else address) may have open at one process. A further WebSocket is closed with code 4429, a further event stream gets 429. 0: no limit.",
    ),
  idleSeconds: positive
    .default(300)
    .describe("A WebSocket on which no operation has run for this time is closed with code 1000."),
  unreadBytes: z
    .number()
    .int()
    .min(65_536)
    .default(262_144)
    .describe(
      "While more bytes than this wait until the client of a WebSocket reads them, Moraine reads no requests from the client, starts none of those that it has read, and asks subscriptions for no more events. When the client has read nothing for ten to 20 seconds, the connection is closed with code 1013.",
    ),
});
