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

/** Description of the argument `orderBy`. */
export const ORDER_BY = "Order of the list. Default: BALANCE.";
