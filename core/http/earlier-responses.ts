import type { ServerResponse } from "node:http";
import { onResponseClose } from "./connections.ts";

/** A property takes less time than a WeakSet. */
const WAITS = Symbol("waits");

interface MayWait {
  [WAITS]?: boolean;
}

/**
 * Waits until all earlier responses of the connection have been sent. What is opened for a response only then, such as a file, is open for
 * at most one response of each connection, however many requests a client sends at once. Resolves with false if the connection closes
 * before.
 */
export function untilEarlierSent(response: ServerResponse): Promise<boolean> {
  if (response.destroyed || response.socket) return Promise.resolve(!response.destroyed);
  (response as MayWait)[WAITS] = true;
  return new Promise((resolve) => {
    const settle = (isOpen: boolean) => {
      (response as MayWait)[WAITS] = false;
      resolve(isOpen);
    };
    response.once("socket", () => settle(true));
    onResponseClose(response, () => settle(false));
  });
}

/** True while `untilEarlierSent` waits. */
export const waitsForEarlier = (response: ServerResponse): boolean => (response as MayWait)[WAITS] === true;
