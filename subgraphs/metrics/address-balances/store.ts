import type { Database } from "../../../core/database/database.ts";
import type { Erc20Holder } from "../../../prisma/client/client.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { createHoldingList, type HoldingList } from "../addresses/holding-lists.ts";

/** A balance above 0. */
export interface Erc20BalanceRow extends Pick<TextRow<Erc20Holder>, "chainId" | "tokenAddress" | "balance"> {
  /** Decimals of the token; null until its metadata is indexed. */
  readonly decimals: number | null;
}

/** Balances of an address by ascending address of the token, by an index of `erc20_holders`. */
export const ERC20_BALANCES = {
  name: "metrics-address-erc20-balances",
  order: ascending({ token_address: "bytea" }),
  select: ({
    after,
    orderBy,
  }: Keyset) => `SELECT true AS "isFound", t.chain_id AS "chainId", t.token_address AS "tokenAddress", t.balance,
      (SELECT e.decimals FROM erc20_tokens e WHERE e.chain_id = $1 AND e.address = t.token_address
        AND e.metadata_status = 'INDEXED') AS decimals
    FROM erc20_holders t
    WHERE t.chain_id = $1 AND t.address = k.address AND ${after()} AND t.balance > 0
    ORDER BY ${orderBy()}`,
} as const;

export function createErc20BalanceList({ pool }: Pick<Database, "pool">): HoldingList<Erc20BalanceRow> {
  return createHoldingList<{ [Name in keyof Erc20BalanceRow]: Erc20BalanceRow[Name] }>(pool, ERC20_BALANCES);
}
