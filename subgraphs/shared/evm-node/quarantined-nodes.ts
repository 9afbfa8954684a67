import { type Database, prepared } from "../../../core/database/database.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import type { QuarantinedNodes } from "./evm-node-client.ts";

const MAX_AGE_MS = 10_000;
const QUARANTINED = `SELECT node->>'name' AS name FROM chain_progress, jsonb_array_elements(nodes) AS node
  WHERE chain_id = $1 AND node->>'state' = 'QUARANTINED'`;

/** Reads from the progress of the indexer which nodes it has quarantined, at most once in ten seconds for each chain. */
export function createQuarantinedNodes({ pool }: Pick<Database, "pool">): QuarantinedNodes {
  const read = prepared<{ name: string }>(pool, "quarantined-nodes", QUARANTINED);
  const known = new Map<number, { readonly atMs: number; readonly names: ReadonlySet<string> }>();
  return async ({ chainId }) => {
    const last = known.get(chainId);
    if (last && performance.now() - last.atMs < MAX_AGE_MS) return last.names;
    const names = new Set((await read([chainId], SERVICE_WORK)).map(({ name }) => name));
    known.set(chainId, { atMs: performance.now(), names });
    return names;
  };
}
