import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import type { SelectedBlock } from "./selected-block.ts";
import { bigint } from "./text-rows.ts";

/** Selects a block of an EVM chain by its number, or the last one up to a time. One of them is null. */
export interface EvmBlockAtKey {
  readonly chainId: string;
  readonly block: string | null;
  /** Seconds, as decimal text. */
  readonly time: string | null;
}

export interface EvmBlockAt extends EvmBlockAtKey, SelectedBlock {}

/** Selects blocks of EVM chains, in one statement for each chain. Chains without an indexed block are left out. */
export type FindEvmBlocksAt = (keys: readonly EvmBlockAtKey[], work: Work) => Promise<EvmBlockAt[]>;

/** OFFSET 0 keeps the planner from looking for the block of a time twice. */
const AT = `SELECT k.request, h.block_number AS "headNumber", h.block_timestamp AS "headTimestamp", b.block_number AS "blockNumber",
    b.block_timestamp AS "blockTimestamp", b.block_hash AS "blockHash"
  FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS k(block, time, request)
    JOIN chain_heads h ON h.chain_id = $1 AND h.block_number >= 0
    CROSS JOIN LATERAL (SELECT coalesce(k.block, (SELECT t.block_number FROM evm_blocks t
        WHERE t.chain_id = $1 AND t.block_timestamp <= k.time
        ORDER BY t.block_timestamp DESC, t.block_number DESC LIMIT 1)) AS block_number OFFSET 0) selected
    LEFT JOIN evm_blocks b ON b.chain_id = $1 AND b.block_number = selected.block_number`;

export function createFindEvmBlocksAt({ pool }: Pick<Database, "pool">): FindEvmBlocksAt {
  const statement = prepared<SelectedBlock & { readonly request: string } & Record<string, string | null>>(
    pool,
    "evm-blocks-at",
    AT,
  );
  const read = readRowsOfKeys(statement, {
    partitionOf: ({ chainId }: EvmBlockAtKey) => chainId,
    valuesOf: (keys) => [keys.map(({ block }) => block && bigint(block)), keys.map(({ time }) => time && bigint(time))],
  });
  return async (keys, work) => {
    const byKey = await read(keys, work);
    return keys.flatMap((key, at) => (byKey[at] ?? []).map(({ request: _, ...found }) => ({ ...key, ...found })));
  };
}
