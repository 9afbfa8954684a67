import { startMoraine } from "../../commands/moraine.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { indexedAlphaNetwork } from "./indexed/alpha-network.ts";
import { serveSignatures } from "./signatures/served-signatures.ts";

export interface ServedDemo extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly config: Config;
}

/** The demo, wholly indexed, with its node and its validators. `directory` is that of exported files. */
export async function serveDemo({ directory }: { readonly directory?: string } = {}): Promise<ServedDemo> {
  const database = await indexedAlphaNetwork();
  const { evmChains, primaryNetworks: networks } = database.config;
  const { networkID, chains } = openRecording(ALPHA).manifest;
  // The database is a copy, in which no indexer of the primary network has reported.
  for (const { alias, height } of chains.filter((chain) => ["P", "X", "C"].includes(chain.alias)))
    await database.pool.query(
      `INSERT INTO primary_progress (network_id, chain, state, node_block_number, blocks_per_second, updated_at)
       VALUES ($1, $2, 'FOLLOWING', $3, 0, extract(epoch FROM now())::bigint)`,
      [networkID, alias, height],
    );
  // Its EVM chains may have been indexed minutes ago.
  await database.pool.query("UPDATE chain_progress SET updated_at = extract(epoch FROM now())::bigint");
  const nodeUrl = new URL(evmChains[0]?.nodeUrl ?? "").origin;
  const signatures = await serveSignatures(database.url, database.config);
  const primaryNetworks = networks.map((network) => ({ ...network, nodeUrl }));
  const exports = { ...database.config.exports, ...(directory ? { directory } : {}) };
  const config = { ...database.config, primaryNetworks, exports };
  const moraine = await startMoraine({
    config,
    database,
    counters: createLocalCounters(),
    logger: createLogger("silent"),
    signatureServiceUrl: () => signatures.url,
  });
  return {
    url: `http://127.0.0.1:${moraine.port}`,
    databaseUrl: database.url,
    config,
    async [Symbol.asyncDispose]() {
      await moraine[Symbol.asyncDispose]();
      await signatures[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
