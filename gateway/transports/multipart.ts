import type { EventFormat } from "./event-format.ts";

const BOUNDARY = "graphql";
const part = (json: object): string =>
  `\r\n--${BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(json)}`;
const END = `\r\n--${BOUNDARY}--\r\n`;

/**
 * Subscriptions over multipart HTTP, the default of Apollo Client:
 * https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol
 */
export const MULTIPART: EventFormat = {
  contentType: `multipart/mixed; boundary="${BOUNDARY}"; subscriptionSpec=1.0`,
  start: part({}),
  ping: part({}),
  pingIntervalMs: 5_000,
  eventOf: (payload) => part({ payload }),
  failureOf: ({ errors }) => part({ payload: null, errors }),
  complete: END,
  broken: END,
};
