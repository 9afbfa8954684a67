import type { Database } from "../../../core/database.ts";
import { createRowsById } from "../../shared/rows/rows-by-id.ts";
import { bytes } from "../../shared/rows/text-rows.ts";
import type { NftCollectionRow } from "./types.ts";

export interface NftCollectionStore {
  /** Reads collections by chain and address, in any order. One statement. */
  byAddress(keys: readonly { readonly chainId: string; readonly address: string }[]): Promise<NftCollectionRow[]>;
}

export function createNftCollectionStore({ prisma }: Pick<Database, "prisma">): NftCollectionStore {
  const byAddress = createRowsById({
    partitionOf: ({ chainId }: { readonly chainId: string; readonly address: string }) => chainId,
    idOf: ({ address }) => bytes(address),
    findMany: async (chainId, addresses) =>
      (await prisma()).nftContract.findMany({ where: { chainId, address: { in: addresses } } }),
  });
  return { byAddress };
}
