import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";

/** Connections to a server. */
export const CONNECTIONS = 16;

/** One request, which is sent repeatedly. */
export interface Load {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

export function get(path: string): Load {
  return { method: "GET", path };
}

/** Makes the next request. */
export type NextLoad = () => Load;

/** Sends requests in turns. */
export function inTurns(loads: readonly Load[]): NextLoad {
  const [first] = loads;
  if (!first) throw new Error("there is no request to send");
  let sent = 0;
  return () => loads[sent++ % loads.length] ?? first;
}

/** A GraphQL query, sent to `/graphql`. */
export function postQuery(query: string, variables?: object): Load {
  return { method: "POST", path: "/graphql", body: JSON.stringify({ query, variables }) };
}

/** The GraphQL operation of a REST route, sent to `/graphql`. */
export function postOperation(operation: string, variables: object): Load {
  const path = fileURLToPath(new URL(`../../rest-compat/operations/${operation}.graphql`, import.meta.url));
  return postQuery(readFileSync(path, "utf8"), variables);
}

/** A client of a server, over connections that stay open. */
export interface Target extends AsyncDisposable {
  /** Returns the text of the answer. Throws unless the status is 200. */
  ask(load: Load): Promise<string>;
  /** Sends requests on every connection for about `ms`. Returns the number of answers and the elapsed milliseconds. */
  sendRepeatedly(load: Load | NextLoad, ms: number): Promise<{ readonly requests: number; readonly ms: number }>;
}

interface TargetOptions {
  /** Default: 16. */
  readonly connections?: number;
  /** Of all connections together. Default: each connection sends a request when the one before is answered. */
  readonly requestsPerSecond?: number;
}

export function createTarget(
  url: string,
  { connections = CONNECTIONS, requestsPerSecond = Number.POSITIVE_INFINITY }: TargetOptions = {},
): Target {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const ask = async (load: Load): Promise<string> => {
    const response = await request(pool, load);
    const text = await response.body.text();
    if (response.statusCode === 200) return text;
    throw new Error(`${load.method} ${load.path} was answered ${response.statusCode}: ${text.slice(0, 200)}`);
  };
  return {
    ask,
    async sendRepeatedly(load, ms) {
      const startedAt = performance.now();
      let requests = 0;
      let begun = 0;
      const one = async () => {
        for (;;) {
          const waitMs = startedAt + (begun++ * 1_000) / requestsPerSecond - performance.now();
          if (waitMs > 0) await sleep(waitMs);
          if (performance.now() - startedAt >= ms) return;
          await statusOf(pool, typeof load === "function" ? load() : load);
          requests++;
        }
      };
      await Promise.all(Array.from({ length: connections }, one));
      return { requests, ms: performance.now() - startedAt };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/**
 * Sends requests at a constant rate, whether or not the earlier ones are answered, and returns the time of each in milliseconds.
 * The time of a request begins when it is sent: this process shares the cores with the others, so it may send a request late.
 */
export async function timesAtRate(
  target: Target,
  load: Load,
  { requestsPerSecond, seconds }: { readonly requestsPerSecond: number; readonly seconds: number },
): Promise<number[]> {
  const times: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < requestsPerSecond * seconds; sent++) {
    const due = startedAt + (sent * 1_000) / requestsPerSecond;
    await sleep(Math.max(0, due - performance.now()));
    const sentAt = performance.now();
    times.push(target.ask(load).then(() => performance.now() - sentAt));
  }
  return Promise.all(times);
}

/** How many requests of each kind are sent, and how many before those that are measured, so that what they read is in memory. */
export interface Requests {
  readonly warmUp: number;
  readonly measured: number;
}

/**
 * Sends requests of several kinds one at a time, in turns, so that all have the same conditions, and returns the times of each kind in milliseconds. The
 * order changes each time: otherwise, garbage collections could always meet the requests of the same kind. Throws if an answer has only errors.
 */
export async function timesInTurns(
  target: Target,
  kinds: readonly NextLoad[],
  { warmUp, measured }: Requests,
): Promise<number[][]> {
  const all = kinds.map((next) => ({ next, times: [] as number[] }));
  for (let request = -warmUp; request < measured; request++)
    for (const { next, times } of request % 2 === 0 ? all : all.toReversed()) {
      const load = next();
      const startedAt = performance.now();
      const answer = await target.ask(load);
      if (request >= 0) times.push(performance.now() - startedAt);
      if (answer.startsWith('{"errors"')) throw new Error(answer.slice(0, 200));
    }
  return all.map(({ times }) => times);
}

/** The token of the next page in an answer; undefined on the last page. */
export const nextPageTokenIn = (answer: string): string | undefined =>
  /"nextPageToken":"([^"]+)"|"hasNextPage":true,"endCursor":"([^"]+)"/.exec(answer)?.slice(1).find(Boolean);

/** Headers of a request with a body. The operations of REST select members that are hidden from other callers. */
export const POST_HEADERS = { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA };

/** Sends a request, reads the whole answer, and returns its status. */
export async function statusOf(pool: Pool, load: Load): Promise<number> {
  const response = await request(pool, load);
  // undici would take an infinite limit for its default, 128 KiB, and close the connection of a longer answer.
  await response.body.dump({ limit: Number.MAX_SAFE_INTEGER });
  return response.statusCode;
}

function request(pool: Pool, { method, path, body }: Load) {
  const headers = body === undefined ? {} : POST_HEADERS;
  return pool.request({ method, path, headers, body: body ?? null });
}
