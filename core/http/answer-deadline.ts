import type { Server, ServerResponse } from "node:http";
import { answerTookTooLong, MAX_ANSWER_SECONDS } from "../answer-time.ts";
import { cancelAnswer } from "../caller-left.ts";
import type { Connections } from "./connections.ts";
import { waitsForTurn } from "./response-turn.ts";

/** Number of checks in the longest time that a request may take. */
const CHECKS = 24;
/** A connection is closed if the work of its request has been cancelled this number of checks ago and there is still no response. */
const CHECKS_AFTER = 6;

/**
 * Cancels the work of requests whose response has not begun after 120 seconds, whatever they wait for except for earlier responses
 * (`untilTurn`). Downloads and event streams that have begun go on. Every 5 seconds, all open connections are checked, which costs less
 * than a timer for each request.
 */
export function limitAnswerTime(
  server: Server,
  connections: Connections,
  checkMs = (MAX_ANSWER_SECONDS * 1_000) / CHECKS,
): void {
  let checks = new Map<ServerResponse, number>();
  const check = () => {
    const earlier = checks;
    checks = new Map();
    for (const [socket, responses] of connections)
      for (const response of responses) {
        if (response.headersSent || waitsForTurn(response)) continue;
        const count = (earlier.get(response) ?? 0) + 1;
        checks.set(response, count);
        if (count === CHECKS + 1) cancelAnswer(response, answerTookTooLong());
        else if (count === CHECKS + 1 + CHECKS_AFTER) socket.destroy();
      }
  };
  const timer = setInterval(check, checkMs).unref();
  server.once("close", () => clearInterval(timer));
}
