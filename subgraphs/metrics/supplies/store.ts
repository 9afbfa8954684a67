import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";

export interface SupplyKey {
  readonly chainId: string;
  readonly address: string;
  /** Token id of an ERC-1155 token; null for ERC-20 tokens and for collections. */
  readonly tokenId: string | null;
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
  /** The same of ERC-1155 tokens. */
  ofErc1155(keys: readonly SupplyKey[], work: Work): Promise<Supply[]>;
}

type SupplyTable = "erc20_supplies" | "nft_supplies" | "erc1155_supplies";

/** A row of `table` is written for each block that changed a token's holders or supply. */
export const supplyStatement = (
  table: SupplyTable,
): string => `SELECT k.request, coalesce(s.holder_count, 0) AS "holderCount", coalesce(s.total_supply, 0) AS "totalSupply",
    h.block_number AS head, h.block_hash AS "headHash"
  FROM unnest($2::bytea[], $3::numeric[], $4::bigint[]) WITH ORDINALITY AS k(token_address, token_id, block_number, request)
    JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    LEFT JOIN LATERAL (SELECT holder_count, total_supply FROM ${table} t
      WHERE t.chain_id = $1 AND t.token_address = k.token_address${table === "erc1155_supplies" ? " AND t.token_id = k.token_id" : ""}
        AND t.block_number <= k.block_number
      ORDER BY t.block_number DESC LIMIT 1) s ON true`;

type Row = Pick<Supply, "holderCount" | "totalSupply" | "head" | "headHash"> & { readonly request: string };

export function createSupplyStore({ pool }: Pick<Database, "pool">): SupplyStore {
  const reading = (name: string, table: SupplyTable) => {
    const read = readRowsOfKeys(prepared<Row>(pool, name, supplyStatement(table)), {
      partitionOf: ({ chainId }: SupplyKey) => chainId,
      valuesOf: (keys) => [
        keys.map(({ address }) => bytea(address)),
        keys.map(({ tokenId }) => tokenId),
        keys.map(({ blockNumber }) => bigint(blockNumber ?? MAX_BIGINT)),
      ],
    });
    return async (keys: readonly SupplyKey[], work: Work) => {
      const byKey = await read(keys, work);
      return keys.flatMap((key, at) => (byKey[at] ?? []).map(({ request: _, ...supply }) => ({ ...key, ...supply })));
    };
  };
  return {
    ofErc20: reading("metrics-erc20-supplies", "erc20_supplies"),
    ofNfts: reading("metrics-nft-supplies", "nft_supplies"),
    ofErc1155: reading("metrics-erc1155-supplies", "erc1155_supplies"),
  };
}
