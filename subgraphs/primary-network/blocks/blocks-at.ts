import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import type { SelectedBlock } from "../../shared/rows/selected-block.ts";
import { bigint } from "../../shared/rows/text-rows.ts";

/** Selects a block of a chain of a primary network by its number, or the last one up to a time. If both are null, the last indexed one. */
export interface PrimaryBlockAtKey {
  readonly networkId: string;
  readonly chain: PrimaryChain;
  readonly block: string | null;
  /** Seconds, as decimal text. */
  readonly time: string | null;
}

export interface PrimaryBlockAt extends PrimaryBlockAtKey, SelectedBlock {}

/** Selects blocks, in one statement for each network. Chains without an indexed block are left out. */
export type FindPrimaryBlocksAt = (keys: readonly PrimaryBlockAtKey[], work: Work) => Promise<PrimaryBlockAt[]>;

/** OFFSET 0 keeps the planner from looking for the block of a time twice. */
const AT = `SELECT k.request, h.block_number AS "headNumber", h.block_timestamp AS "headTimestamp", b.block_number AS "blockNumber",
    b.block_timestamp AS "blockTimestamp", b.block_hash AS "blockHash"
  FROM unnest($2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS k(chain, block, time, request)
    JOIN primary_heads h ON h.network_id = $1 AND h.chain = k.chain AND h.block_number >= 0
    CROSS JOIN LATERAL (SELECT CASE WHEN k.block IS NOT NULL THEN k.block WHEN k.time IS NULL THEN h.block_number
        ELSE (SELECT t.block_number FROM primary_blocks t
          WHERE t.network_id = $1 AND t.chain = k.chain AND t.block_timestamp <= k.time
          ORDER BY t.block_timestamp DESC, t.block_number DESC LIMIT 1) END AS block_number OFFSET 0) selected
    LEFT JOIN primary_blocks b ON b.network_id = $1 AND b.chain = k.chain AND b.block_number = selected.block_number`;

export function createFindPrimaryBlocksAt({ pool }: Pick<Database, "pool">): FindPrimaryBlocksAt {
  const statement = prepared<SelectedBlock & { readonly request: string } & Record<string, string | null>>(
    pool,
    "primary-blocks-at",
    AT,
  );
  const read = readRowsOfKeys(statement, {
    partitionOf: ({ networkId }: PrimaryBlockAtKey) => networkId,
    valuesOf: (keys) => [
      keys.map(({ chain }) => chain),
      keys.map(({ block }) => block && bigint(block)),
      keys.map(({ time }) => time && bigint(time)),
    ],
  });
  return async (keys, work) => {
    const byKey = await read(keys, work);
    return keys.flatMap((key, at) => (byKey[at] ?? []).map(({ request: _, ...found }) => ({ ...key, ...found })));
  };
}
