import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes } from "../../shared/rows/text-rows.ts";
import type { NftCollectionRow } from "./types.ts";

interface CollectionKey {
  readonly chainId: string;
  readonly address: string;
}

export interface NftCollectionStore {
  /** Reads collections by chain and address, in any order. One statement. */
  byAddress(keys: readonly CollectionKey[], work: Work): Promise<NftCollectionRow[]>;
}

export function createNftCollectionStore({ prisma }: Pick<Database, "prisma">): NftCollectionStore {
  const byAddress = createRowsById(prisma, {
    partitionOf: ({ chainId }: CollectionKey) => chainId,
    idOf: ({ address }) => bytes(address),
    findMany: ({ nftContract }, chainId, addresses) =>
      nftContract.findMany({ where: { chainId, address: { in: addresses } } }),
  });
  return { byAddress };
}
