import { readFileSync } from "node:fs";
import { formatId, parseIdText } from "../../../core/formats/id-text.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { type ComparisonDeps, type ComparisonResult, combined, type Difference } from "./comparison.ts";

/** All checkpoints are older than this time, at which their list was published. */
const PUBLISHED_AT = Date.parse("2025-08-23T00:00:00Z") / 1_000;

/** Ids of accepted blocks of one chain, in CB58. */
export interface Checkpoints {
  readonly chain: PrimaryChain;
  readonly ids: readonly string[];
}

/** The known checkpoints of a network. Only mainnet and Fuji have any. */
export function checkpointsOf(networkId: number): Checkpoints[] {
  const lines = readFileSync(new URL("checkpoints.txt", import.meta.url), "utf8").split("\n");
  return lines.flatMap((line) => {
    const [id, chain, ...ids] = line.split(" ");
    return id === String(networkId) ? [{ chain: chain as PrimaryChain, ids }] : [];
  });
}

interface ChainRow {
  readonly latest: string | null;
  readonly withoutWrapper: boolean;
}

/** A block is listed by the id of its wrapper, or by its own id if it has no wrapper. */
const FOUND = `SELECT DISTINCT encode(id, 'hex') AS id FROM unnest($3::bytea[]) AS id
  JOIN primary_blocks b ON b.network_id = $1 AND b.chain = $2 AND (b.block_hash = id OR b.proposer_id = id)`;

/**
 * The time of the last indexed block, and whether blocks were fetched without their wrappers. Since the day after Apricot Phase 4, every
 * block has one.
 */
const CHAIN = `SELECT max(block_timestamp) AS latest, bool_or(proposer_id IS NULL AND block_timestamp > $3) AS "withoutWrapper"
  FROM primary_blocks WHERE network_id = $1 AND chain = $2`;

const A_DAY = 86_400;

/**
 * Checks that the index contains every checkpoint of mainnet or Fuji. Until the index reaches the time at which the checkpoints were
 * published, or if blocks were fetched without their wrappers, one that is not found may still be in the chain, and is not compared.
 */
export async function compareCheckpoints(deps: ComparisonDeps): Promise<ComparisonResult> {
  const all: ComparisonResult[] = [];
  for (const checkpoints of checkpointsOf(deps.network.networkId)) all.push(await compareChain(deps, checkpoints));
  return combined(all);
}

async function compareChain({ pool, network }: ComparisonDeps, { chain, ids }: Checkpoints): Promise<ComparisonResult> {
  const { networkId, upgrades } = network;
  const { rows: chains } = await pool.query<ChainRow>(CHAIN, [networkId, chain, upgrades.apricotPhase4 + A_DAY]);
  const bytes = ids.map((id) => Buffer.from(parseIdText(id) ?? "", "hex"));
  const { rows } = await pool.query<{ id: string }>(FOUND, [networkId, chain, bytes]);
  const found = new Set(rows.map(({ id }) => formatId(id)));
  const { latest = null, withoutWrapper = false } = chains[0] ?? {};
  if (latest === null || Number(latest) < PUBLISHED_AT || withoutWrapper)
    return { compared: found.size, differences: [] };
  const missing = ids.filter((id) => !found.has(id));
  const differences = missing.map(
    (id): Difference => ({
      what: `checkpoint ${id} of the ${chain}-Chain`,
      indexed: "nothing",
      node: "a block that the network accepted",
    }),
  );
  return { compared: ids.length, differences };
}
