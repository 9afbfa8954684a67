import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { GraphClient } from "../../core/graph/graph-client.ts";
import { createWork } from "../../core/work/work.ts";
import { loadOperation } from "../graph/operation.ts";

/** How long a node id is reused. A node never changes its id while it runs. */
const FRESH_MS = 60_000;
/** How long a missing node id is reused, for example while the node starts. */
const ABSENT_MS = 2_000;
/** How long a response waits for the first node id, so that a slow node does not delay health probes. */
const FIRST_WAIT_MS = 500;

/** Resolves with the id of the upstream node; null if there is no such node, or if its id is hidden or not known yet. */
export type ReadNodeId = () => Promise<string | null>;

/** Caches the node id of the graph. All requests share one query, and only requests before its first result wait for it. */
export function createNodeIdReader(graph: GraphClient, nowMs: () => number): ReadNodeId {
  const run = graph.prepare(loadOperation("node-id").document);
  let known: string | null = null;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  const query = async () => {
    const { data } = await run({}, { requestId: randomUUID(), work: createWork() }).catch(() => ({ data: null }));
    const { nodeId } = Object(data?.["body"]) as { readonly nodeId?: unknown };
    const isId = typeof nodeId === "string" && /^NodeID-\w+$/.test(nodeId);
    if (isId) known = nodeId;
    freshUntilMs = nowMs() + (isId ? FRESH_MS : ABSENT_MS);
    running = null;
  };
  return async () => {
    const isFirst = freshUntilMs === Number.NEGATIVE_INFINITY;
    if (nowMs() >= freshUntilMs) running ??= query();
    if (isFirst) await Promise.race([running, sleep(FIRST_WAIT_MS, null, { ref: false })]);
    return known;
  };
}
