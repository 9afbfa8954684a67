import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";

/** Names of the nodes that the indexer has quarantined, at most some seconds old. */
export type QuarantinedNodes<Key> = (key: Key) => Promise<ReadonlySet<string>>;

const MAX_AGE_MS = 10_000;
const ofTable = (table: string, id: string) => `SELECT DISTINCT node->>'name' AS name
  FROM ${table}, jsonb_array_elements(nodes) AS node WHERE ${id} = $1 AND node->>'state' = 'QUARANTINED'`;

/** Reads the quarantined nodes of EVM chains from the progress of the indexer, at most once in ten seconds for each chain. */
export function createQuarantinedNodes(
  database: Pick<Database, "pool">,
): QuarantinedNodes<Pick<EvmChainConfig, "chainId">> {
  const read = createReader(database, "quarantined-nodes", ofTable("chain_progress", "chain_id"));
  return ({ chainId }) => read(chainId);
}

/** Like `createQuarantinedNodes`, of a primary network by its id. */
export function createQuarantinedNodesOfNetworks(database: Pick<Database, "pool">): QuarantinedNodes<number> {
  return createReader(database, "quarantined-network-nodes", ofTable("primary_progress", "network_id"));
}

function createReader({ pool }: Pick<Database, "pool">, name: string, text: string): QuarantinedNodes<number> {
  const read = prepared<{ name: string }>(pool, name, text);
  const known = new Map<number, { readonly atMs: number; readonly names: ReadonlySet<string> }>();
  return async (id) => {
    const last = known.get(id);
    if (last && performance.now() - last.atMs < MAX_AGE_MS) return last.names;
    const names = new Set((await read([id], SERVICE_WORK)).map(({ name: node }) => node));
    known.set(id, { atMs: performance.now(), names });
    return names;
  };
}
