import type { Database } from "../../../core/database/database.ts";
import type { NftHolding } from "../../../prisma/client/client.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { createHoldingList, type HoldingList } from "../addresses/holding-lists.ts";

/** A balance above 0. */
export type NftHoldingRow = Omit<TextRow<NftHolding>, "address">;

/** Values of a row in the columns of the order, separated by spaces. */
export const nftCursor = ({ tokenAddress, tokenId, ercType }: NftHoldingRow): string =>
  `${tokenAddress} ${tokenId} ${ercType}`;

const COLUMNS = columns<NftHoldingRow>("chainId", "tokenAddress", "tokenId", "ercType", "balance");

/** NFTs of an address in the order of the primary key of `nft_holdings`. */
export const NFTS = {
  name: "metrics-address-nfts",
  order: ascending({ token_address: "bytea", token_id: "numeric", erc_type: "text" }),
  select: ({ after, orderBy }: Keyset) => `SELECT true AS "isFound", ${COLUMNS} FROM nft_holdings t
    WHERE t.chain_id = $1 AND t.address = k.address AND t.balance > 0
      AND ${after()}
    ORDER BY ${orderBy()}`,
} as const;

export function createNftList({ pool }: Pick<Database, "pool">): HoldingList<NftHoldingRow> {
  return createHoldingList<NftHoldingRow>(pool, NFTS);
}
