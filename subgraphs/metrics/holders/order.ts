import { registerEnumType } from "type-graphql";

/** Order of a list of holders. */
export const HolderOrder = { BALANCE: "BALANCE", ADDRESS: "ADDRESS" } as const;
export type HolderOrder = keyof typeof HolderOrder;
registerEnumType(HolderOrder, {
  name: "HolderOrder",
  description: "Order of a list of holders.",
  valuesConfig: {
    BALANCE: { description: "Greatest balance first. Equal balances are ordered by address, highest first." },
    ADDRESS: {
      description: "By address, lowest first. Every page takes about the same time, also with a block number.",
    },
  },
});

/** Description of the argument `at` of the holders of NFTs. */
export const HOLDERS_AT =
  "Block of the balances, which all pages of the list have. The list then has the order ADDRESS. Default: the last indexed block at the time of each page.";

/** Sentences for the descriptions of these lists. */
export const NFT_HOLDERS_AT_BLOCK =
  "With `at`, the list has the balances after that block, in the order ADDRESS; the order BALANCE fails with `INVALID_PARAMETER`. Such a page considers at most 100,000 further addresses that ever had the token, and the next page continues after them. A page can therefore have fewer items than requested, or none, even if it is not the last.";

/** Description of the argument `orderBy`. */
export const ORDER_BY = "Order of the list. Default: BALANCE.";

/** The same for the holders of NFTs. */
export const NFT_ORDER_BY = "Order of the list. Default: BALANCE, or ADDRESS with `at`.";
