import type pg from "pg";
import type { Config } from "../core/config/config-schema.ts";
import { openPool } from "../core/database/database.ts";
import { duration } from "../core/database/migration-space.ts";
import { type Placement, settingsIn } from "../core/database/placement.ts";
import type { Logger } from "../core/observability/logger.ts";
import { chainRules } from "./evm/decode/chain-rules.ts";
import { ROWS_VERSION } from "./primary/replay/store/heads.ts";

/** What one core computes from the raw blocks in a second, by docs/performance.md: an estimate, to tell minutes from hours. */
const BLOCKS_PER_SECOND = 500;

/**
 * A line for each configured chain and network whose rows the next start of the indexer deletes and computes again from the stored blocks,
 * because this version or the settings compute them by other rules.
 */
async function outdatedRows(
  pool: Pick<pg.Pool, "query">,
  config: Pick<Config, "evmChains" | "primaryNetworks">,
): Promise<string[]> {
  const versions = config.evmChains.map((chain) => chainRules(chain));
  const { rows: chains } = await pool.query<{ id: string; blocks: number }>(
    `SELECT chain_id::text AS id, (block_number + 1)::float8 AS blocks
       FROM chain_heads JOIN unnest($1::bigint[], $2::int[]) AS now (chain_id, rows_version) USING (chain_id)
       WHERE chain_heads.rows_version <> now.rows_version AND block_number >= 0 ORDER BY chain_id`,
    [versions.map(({ chainId }) => chainId), versions.map(({ rowsVersion }) => rowsVersion)],
  );
  const { rows: networks } = await pool.query<{ id: string; blocks: number }>(
    `SELECT network_id::text AS id, sum(block_number + 1)::float8 AS blocks
       FROM primary_heads WHERE network_id = ANY ($1) AND rows_version <> $2 GROUP BY network_id ORDER BY network_id`,
    [config.primaryNetworks.map(({ networkId }) => networkId), ROWS_VERSION],
  );
  return [
    ...chains.map(({ id, blocks }) => lineOf(`chain ${id}`, blocks)),
    ...networks.map(({ id, blocks }) => lineOf(`the primary network ${id}`, blocks)),
  ];
}

/** As `outdatedRows`, for the chains and networks of each database. Opens a session to one database after the other. */
export async function outdatedRowsOf(config: Config, placement: Placement, logger: Logger): Promise<string[]> {
  const lines: string[] = [];
  for (const url of placement.all) {
    await using database = openPool(url, 1, logger);
    lines.push(...(await outdatedRows(database.pool, settingsIn(config, placement, url))));
  }
  return lines;
}

function lineOf(name: string, blocks: number): string {
  return `the rows of ${name} are computed again from its ${blocks.toLocaleString("en")} stored blocks, without the node, because this version or the settings compute them by other rules: this may take ${duration(blocks / BLOCKS_PER_SECOND)}, and until it ends the API serves only the rows that are computed`;
}
