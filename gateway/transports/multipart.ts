import type { EventFormat } from "./event-format.ts";

const BOUNDARY = "graphql";
const part = (json: string): string => `\r\n--${BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${json}`;

/**
 * Subscriptions over multipart HTTP, the default of Apollo Client:
 * https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol
 */
export const MULTIPART: EventFormat = {
  contentType: `multipart/mixed; boundary="${BOUNDARY}"; subscriptionSpec=1.0`,
  start: part("{}"),
  ping: part("{}"),
  pingIntervalMs: 5_000,
  eventOf: (text) => part(`{"payload":${text}}`),
  complete: `\r\n--${BOUNDARY}--\r\n`,
  broken: "",
};
