import type { Database } from "../../../core/database/database.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { type HoldingsAtBlockKey, type HoldingsAtBlocks, MAX_TOKENS } from "../addresses/past-holdings.ts";
import { createPastReader } from "../past-nfts/walk.ts";
import { NFTS, type NftHoldingRow, nftCursor } from "./store.ts";

/** NFTs of an address in the order of the primary key. */
const PAST_NFTS = { table: "nft_item_balances", owner: { address: "bytea" }, order: NFTS.order } as const;

interface Row {
  readonly token_address: string;
  readonly token_id: string;
  readonly erc_type: string;
  readonly balance: string;
}

/** Reads the NFTs that addresses held after blocks. */
export function createNftsAtBlocks(
  { pool }: Pick<Database, "pool">,
  maxCandidates = MAX_TOKENS,
): HoldingsAtBlocks<NftHoldingRow> {
  const read = createPastReader<HoldingsAtBlockKey, { [Name in keyof Row]: Row[Name] }>(pool, {
    ...PAST_NFTS,
    name: "metrics-nfts-at-blocks",
    maxCandidates,
    ownerOf: ({ address }) => [bytea(address)],
    positionOf: ({ after }) => {
      const [token, ...others] = after?.split(" ") ?? [];
      return token === undefined ? null : [bytea(token), ...others];
    },
  });
  return async (keys, work) =>
    (await read(keys, work)).map(({ items, lastCandidate, ...page }) => {
      const holdingOf = ({ token_address, token_id, erc_type, balance }: Row): NftHoldingRow => ({
        chainId: page.chainId,
        tokenAddress: token_address,
        tokenId: token_id,
        ercType: erc_type,
        balance,
      });
      return {
        ...page,
        items: items.map(holdingOf),
        lastCandidate: lastCandidate && nftCursor(holdingOf(lastCandidate)),
      };
    });
}
