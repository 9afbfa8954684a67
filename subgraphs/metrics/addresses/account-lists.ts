import { type Database, EVM_HEAD } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { lazyLoaders } from "../../shared/request-context.ts";
import { descending, type Keyset, sorted } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { EvmAddress } from "./types.ts";

/** Lists of the addresses of a chain (its id) that have a transaction, by number of transactions. */
export type AccountLists = Readonly<Record<SortOrder, NestedList<EvmAddress>>>;

type Row = EvmAddress & Readonly<Record<"transactionCount", string>>;

const OF_CHAIN = {
  key: { chain_id: "bigint" },
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT t.chain_id AS "chainId", t.address,
      t.transaction_count AS "transactionCount"
    FROM evm_addresses t WHERE t.chain_id = $1 AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: ({ transactionCount, address }: Row) => [transactionCount, bytea(address)],
};

/** Returns a function that creates the lists of one request. */
export function createAccountLists(
  { pool }: Pick<Database, "pool">,
  cursors: PageTokens,
): (work: Work) => AccountLists {
  const listIn = (direction: SortOrder) => {
    const order = sorted(descending({ transaction_count: "bigint", address: "bytea" }), direction);
    const name = `metrics-accounts-${direction}`;
    return createNestedList<Row, EvmAddress>(pool, cursors, { ...OF_CHAIN, name, order }, async (rows) =>
      rows.map(({ chainId, address }) => ({ chainId, address })),
    );
  };
  return lazyLoaders({ asc: listIn("asc"), desc: listIn("desc") });
}
