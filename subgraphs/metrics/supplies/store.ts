import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, type PreparedStatement, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";

export interface SupplyKey {
  readonly chainId: string;
  readonly address: string;
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
}

/** Holders and supply of a token after a block. */
export interface Supply extends SupplyKey {
  readonly holderCount: string;
  readonly totalSupply: string;
  /** The chain's last indexed block, whatever block was selected. */
  readonly head: string;
  readonly headHash: string;
}

export interface SupplyStore {
  /** Reads the holders and supplies of ERC-20 tokens in one statement for each chain. Chains that are not indexed are left out. */
  ofErc20(keys: readonly SupplyKey[], work: Work): Promise<Supply[]>;
  /** The same of NFT collections. */
  ofNfts(keys: readonly SupplyKey[], work: Work): Promise<Supply[]>;
}

/** A row of `table` is written for each block that changed a token's holders or supply. */
export const supplyStatement = (
  table: "erc20_supplies" | "nft_supplies",
): string => `SELECT k.request, coalesce(s.holder_count, 0) AS "holderCount", coalesce(s.total_supply, 0) AS "totalSupply",
    h.block_number AS head, h.block_hash AS "headHash"
  FROM unnest($2::bytea[], $3::bigint[]) WITH ORDINALITY AS k(token_address, block_number, request)
    JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    LEFT JOIN LATERAL (SELECT holder_count, total_supply FROM ${table} t
      WHERE t.chain_id = $1 AND t.token_address = k.token_address AND t.block_number <= k.block_number
      ORDER BY t.block_number DESC LIMIT 1) s ON true`;

type Row = Pick<Supply, "holderCount" | "totalSupply" | "head" | "headHash"> & { readonly request: string };

export function createSupplyStore({ pool }: Pick<Database, "pool">): SupplyStore {
  const ofErc20 = prepared<Row>(pool, "metrics-erc20-supplies", supplyStatement("erc20_supplies"));
  const ofNfts = prepared<Row>(pool, "metrics-nft-supplies", supplyStatement("nft_supplies"));
  const reading = (statement: PreparedStatement<Row>) => {
    const read = readRowsOfKeys(statement, {
      partitionOf: ({ chainId }: SupplyKey) => chainId,
      valuesOf: (keys) => [
        keys.map(({ address }) => bytea(address)),
        keys.map(({ blockNumber }) => bigint(blockNumber ?? MAX_BIGINT)),
      ],
    });
    return async (keys: readonly SupplyKey[], work: Work) => {
      const byKey = await read(keys, work);
      return keys.flatMap((key, at) => (byKey[at] ?? []).map(({ request: _, ...supply }) => ({ ...key, ...supply })));
    };
  };
  return { ofErc20: reading(ofErc20), ofNfts: reading(ofNfts) };
}
