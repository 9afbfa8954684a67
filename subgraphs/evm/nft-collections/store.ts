import { type Database, EVM_HEAD } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { allColumns, bytes } from "../../shared/rows/text-rows.ts";
import { createTokenLists, createTransferCounts, type TokenLists, type TransferCount } from "../token-lists/store.ts";
import type { NftCollectionRow, NftCollectionToken } from "./types.ts";

interface CollectionKey {
  readonly chainId: string;
  readonly address: string;
}

export interface NftCollectionStore {
  /** Reads collections by chain and address, in any order. One statement. */
  byAddress(keys: readonly CollectionKey[], work: Work): Promise<NftCollectionRow[]>;
  /** The collections of a chain. */
  ofChain(work: Work): TokenLists<NftCollectionRow>;
  /** Reads the numbers of transfers of collections, in any order. */
  transferCounts(keys: readonly CollectionKey[], work: Work): Promise<TransferCount[]>;
  /** The tokens of a collection (chain id, address as BYTEA) that were transferred at least once, by ascending token id. */
  tokens(work: Work): NestedList<NftCollectionToken>;
}

const OF_CHAIN = { counts: "nft_counts", table: "nft_contracts", columns: allColumns("nft_contracts") } as const;

const TOKENS = {
  name: "collection-tokens",
  key: { chain_id: "bigint", address: "bytea" },
  order: ascending({ token_id: "numeric", erc_type: "text" }),
  head: EVM_HEAD,
  select: ({
    after,
    orderBy,
  }: Keyset) => `SELECT t.chain_id AS "chainId", t.address, t.token_id AS "tokenId", t.erc_type AS "ercType"
    FROM nft_items t WHERE t.chain_id = $1 AND t.address = k.address AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: ({ tokenId, ercType }: NftCollectionToken) => [tokenId, ercType],
};

export function createNftCollectionStore({ pool, prisma }: Database, pageTokens: PageTokens): NftCollectionStore {
  const byAddress = createRowsById(prisma, {
    partitionOf: ({ chainId }: CollectionKey) => chainId,
    idOf: ({ address }) => bytes(address),
    findMany: ({ nftContract }, chainId, addresses) =>
      nftContract.findMany({ where: { chainId, address: { in: addresses } } }),
  });
  return {
    byAddress,
    ofChain: createTokenLists({ pool }, pageTokens, OF_CHAIN, async (rows: NftCollectionRow[]) => rows),
    transferCounts: createTransferCounts({ pool }, "nft_counts"),
    tokens: createNestedList(pool, pageTokens, TOKENS, async (rows: NftCollectionToken[]) => rows),
  };
}
