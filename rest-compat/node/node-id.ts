import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { GraphClient } from "../../core/graph-client.ts";
import { loadOperation } from "../graph/operation.ts";

/** How long the id that headers carry is not asked for again. A node keeps its id as long as it lives. */
const FRESH_MS = 60_000;
/** The same while there is none, as of a node that is not up yet. */
const ABSENT_MS = 2_000;
/** How long an answer waits for the first id: probes are to have theirs though the node is slow. */
const PATIENCE_MS = 500;

/** The id of the node that answers in the end; null where there is none, or it is not told. */
export type Identity = () => Promise<string | null>;

/** Asks the graph, many requests at once and at most once in a while. Only requests before its first answer wait at all. */
export function createIdentity(graph: GraphClient, nowMs: () => number): Identity {
  const run = graph.prepare(loadOperation("node-id").document);
  let known: string | null = null;
  let untilMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  const ask = async () => {
    const { data } = await run({}, { requestId: randomUUID() }).catch(() => ({ data: null }));
    const { nodeId } = Object(data?.["body"]) as { readonly nodeId?: unknown };
    const isId = typeof nodeId === "string" && /^NodeID-\w+$/.test(nodeId);
    if (isId) known = nodeId;
    untilMs = nowMs() + (isId ? FRESH_MS : ABSENT_MS);
    asking = null;
  };
  return async () => {
    const isFirst = untilMs === Number.NEGATIVE_INFINITY;
    if (nowMs() >= untilMs) asking ??= ask();
    if (isFirst) await Promise.race([asking, sleep(PATIENCE_MS, null, { ref: false })]);
    return known;
  };
}
