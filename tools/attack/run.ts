import type { GraphQLSchema } from "graphql";
import { brokenRule, messagesOf } from "./check.ts";
import { createGraphqlRequests } from "./graphql-requests.ts";
import { createJsonRpcRequests } from "./json-rpc-requests.ts";
import { createRandom, type Random } from "./random.ts";
import type { AttackRequest, Dialect } from "./request.ts";
import { createRestRequests } from "./rest-requests.ts";
import { createSender } from "./send.ts";
import type { KnownValues } from "./values.ts";

export interface AttackOptions {
  readonly url: string;
  /** The schema that callers of `/graphql` see. */
  readonly schema: GraphQLSchema;
  readonly seed: number;
  /** Number of the first request, and of the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly known: KnownValues;
  onProgress?(sent: number): void;
}

/** A request whose answer does not have the documented form. */
export interface Violation {
  /** The number of the request. */
  readonly index: number;
  readonly request: AttackRequest;
  readonly rule: string;
  readonly status: number;
  readonly text: string;
}

export interface AttackReport {
  readonly sent: number;
  /** How many answers had each status, by dialect. */
  readonly statuses: ReadonlyMap<Dialect, ReadonlyMap<number, number>>;
  /** The messages of answers with 502 and 503, with the numbers of their requests. */
  readonly unavailable: ReadonlyMap<string, readonly number[]>;
  readonly violations: readonly Violation[];
}

const CONNECTIONS = 8;

/** Sends generated requests, and checks the form of every answer. Equal seeds give equal requests. */
export async function attack(options: AttackOptions): Promise<AttackReport> {
  const { url, schema, seed, from, to, known, onProgress = () => {} } = options;
  const generators: readonly ((random: Random) => AttackRequest)[] = [
    createRestRequests(known),
    createJsonRpcRequests(known),
    createGraphqlRequests(schema, known),
  ];
  const statuses = new Map<Dialect, Map<number, number>>();
  const unavailable = new Map<string, number[]>();
  const violations: Violation[] = [];
  using sender = createSender(url, CONNECTIONS);
  let next = from;
  const work = async (): Promise<void> => {
    while (next < to) {
      const index = next++;
      const random = createRandom(seed, index);
      const request = random.pick(generators)(random);
      const response = await sender.send(request);
      const { status, text } = response;
      count(statuses.get(request.dialect) ?? added(statuses, request.dialect), status);
      if (status >= 502)
        for (const message of messagesOf(response))
          unavailable.set(message, [...(unavailable.get(message) ?? []), index]);
      const rule = brokenRule(request, response);
      if (rule) violations.push({ index, request, rule, status, text });
      onProgress(index - from + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return { sent: to - from, statuses, unavailable, violations };
}

function added(statuses: Map<Dialect, Map<number, number>>, dialect: Dialect): Map<number, number> {
  const counts = new Map<number, number>();
  statuses.set(dialect, counts);
  return counts;
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
