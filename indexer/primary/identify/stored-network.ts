import type { Session } from "../../shared/writer.ts";
import type { NetworkFacts } from "../network/network.ts";
import { formatRules, type NetworkRules, parseRules } from "../network/rules.ts";

/** The stored genesis and rules of a network. */
export interface StoredNetwork {
  /** In hex. */
  readonly genesisId: string;
  /** Null if another version, which knows other upgrades, stored the rules. */
  readonly rules: NetworkRules | null;
}

/** Returns the stored genesis and rules of a network; null before its first start. */
export async function loadStoredNetwork(session: Session, networkId: number): Promise<StoredNetwork | null> {
  const [row] = await session.query<{ genesis_hash: Buffer; rules: string }>(
    "SELECT genesis_hash, rules FROM primary_networks WHERE network_id = $1",
    [networkId],
  );
  return row ? { genesisId: row.genesis_hash.toString("hex"), rules: parseRules(row.rules) } : null;
}

/** Writes the network's row. If it exists, only its rules are updated. */
export async function storeNetwork(session: Session, network: NetworkFacts): Promise<void> {
  const { networkId, hrp, genesis, xChainId, cChainId, avaxAssetId } = network;
  const bytes = [genesis.id, xChainId, cChainId, avaxAssetId].map((hex) => Buffer.from(hex, "hex"));
  await session.query(
    `INSERT INTO primary_networks
       (network_id, hrp, genesis_timestamp, rules, genesis_hash, x_chain_id, c_chain_id, avax_asset_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (network_id) DO UPDATE SET rules = excluded.rules`,
    [networkId, hrp, genesis.timestamp, formatRules(network), ...bytes],
  );
}

/** Marks the network's rows as outdated, so that the next `openReplay` rebuilds them: 0 is never a current version. */
export async function markRowsOutdated(session: Session, networkId: number): Promise<void> {
  await session.query("UPDATE primary_heads SET rows_version = 0 WHERE network_id = $1", [networkId]);
}
