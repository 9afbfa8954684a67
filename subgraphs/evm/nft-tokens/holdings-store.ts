import { type Database, EVM_HEAD } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { NftKey } from "./store.ts";
import type { Erc1155Holder } from "./types.ts";

/** Holders and supply of an ERC-1155 token. */
export interface Erc1155Counts extends NftKey {
  readonly holderCount: string;
  readonly totalSupply: string;
}

export interface Erc1155HoldingStore {
  /** Holders of a token (chain id, address as BYTEA, token id), greatest balance first. */
  holders(work: Work): NestedList<Erc1155Holder>;
  /** Reads the holders and supplies of tokens, in any order. Tokens without both are left out. */
  counts(keys: readonly NftKey[], work: Work): Promise<Erc1155Counts[]>;
}

const HOLDERS = {
  name: "erc1155-token-holders",
  key: { chain_id: "bigint", token_address: "bytea", token_id: "numeric" },
  order: descending({ balance: "numeric", address: "bytea" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT t.chain_id AS "chainId", t.address, t.balance FROM nft_holdings t
    WHERE t.chain_id = $1 AND t.token_address = k.token_address AND t.token_id = k.token_id AND t.erc_type = 'ERC-1155'
      AND ${after()} AND t.balance > 0 ORDER BY ${orderBy()}`,
  positionOf: ({ balance, address }: Erc1155Holder) => [balance, bytea(address)],
};

export function createErc1155HoldingStore(
  { pool }: Pick<Database, "pool">,
  pageTokens: PageTokens,
): Erc1155HoldingStore {
  return {
    holders: createNestedList(pool, pageTokens, HOLDERS, async (rows: Erc1155Holder[]) => rows),
    counts: createKeyedRows<{ [Name in keyof Erc1155Counts]: Erc1155Counts[Name] }, NftKey>(pool, {
      name: "erc1155-counts",
      table: "erc1155_counts",
      columns: `chain_id AS "chainId", token_address AS address, token_id AS "tokenId", holder_count AS "holderCount",
        total_supply AS "totalSupply"`,
      key: { chain_id: "bigint", token_address: "bytea", token_id: "numeric" },
      valuesOf: ({ chainId, address, tokenId }) => [chainId, bytea(address), tokenId],
    }),
  };
}
