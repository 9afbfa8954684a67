import type { IncomingMessage } from "node:http";
import type { Base, Method } from "../routes.ts";
import type { Reply } from "./reply.ts";

/** One request as a resource gets it. */
export interface Ask {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Values of the path's parameters, decoded, in its order. */
  readonly values: readonly string[];
  /** Still encoded. */
  readonly query: string;
  /** Names and values in turn, to be sent with whatever the answer is. */
  readonly headers: string[];
}

/** Answers a request. Throws a `Failure` for what it refuses. */
export type Answer = (ask: Ask) => Reply | Promise<Reply>;

/** What is at a path: an answer for each method that it has. */
export interface Resource {
  readonly base: Base;
  readonly answers: ReadonlyMap<string, Answer>;
}

/** A path template, one of its methods, and the answer. */
export interface Entry {
  readonly path: string;
  readonly method: Method;
  readonly base: Base;
  readonly answer: Answer;
}

/** Gathers the methods of each path. */
export function resourcesOf(entries: readonly Entry[]): Map<string, Resource> {
  const resources = new Map<string, Resource>();
  for (const { path, method, base, answer } of entries) {
    const answers = new Map(resources.get(path)?.answers).set(method, answer);
    resources.set(path, { base, answers });
  }
  return resources;
}
