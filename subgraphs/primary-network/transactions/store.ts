import { type Database, prepared } from "../../../core/database.ts";
import { type PageTokens, pageOf } from "../../../core/page.ts";
import type { Page } from "../../shared/nested-list.ts";
import { bytea, byteaArray, MAX_BIGINT } from "../../shared/rows.ts";
import type { AssetStore } from "../assets/store.ts";
import type { ServedNetwork } from "../networks/store.ts";
import type { SortOrder } from "../paging/sort-order.ts";
import type { UtxoStore } from "../utxos/store.ts";
import { completeTransactions } from "./assemble.ts";
import type { TransactionFilter } from "./filter.ts";
import { NAMED, pageStatement, type Scope, type TransactionRow } from "./rows.ts";
import type { PrimaryNetworkTransaction } from "./types.ts";

/** Outputs that end a page, but for one transaction alone. */
const MOST_OUTPUTS = 2_000;

export interface TransactionPageArgs {
  readonly pageToken?: string | null;
  readonly size: number;
}

export interface TransactionStore {
  /** In the order of the chain. It ends before the transaction with which it would have more than 2,000 outputs. */
  page(
    network: ServedNetwork,
    filter: TransactionFilter,
    args: TransactionPageArgs,
  ): Promise<Page<PrimaryNetworkTransaction>>;
  /** Those of the transactions (`0x` hex) that are indexed. */
  named(network: ServedNetwork, txHashes: readonly string[]): Promise<PrimaryNetworkTransaction[]>;
}

/** Before the first place in either direction. */
const START = { desc: MAX_BIGINT, asc: "-1" } as const satisfies Record<SortOrder, string>;

/** A page, and a list of transactions by name, costs three statements: rows, outputs, assets. */
export function createTransactionStore(
  { pool }: Pick<Database, "pool">,
  pageTokens: PageTokens,
  linked: { readonly utxos: UtxoStore; readonly assets: AssetStore },
): TransactionStore {
  const named = prepared<TransactionRow>(pool, "primary-transactions", NAMED);
  const read = (scope: Scope, sortOrder: SortOrder) =>
    prepared<TransactionRow>(pool, `primary-transactions-of-${scope}-${sortOrder}`, pageStatement(scope, sortOrder));
  const both = (scope: Scope) => ({ asc: read(scope, "asc"), desc: read(scope, "desc") });
  const pages = { chain: both("chain"), addresses: both("addresses"), validation: both("validation") };
  return {
    async page(network, filter, { pageToken, size }) {
      const list = [network.networkId, ...Object.values(filter)];
      const { scope, chain, sortOrder } = filter;
      const [position = START[sortOrder]] = pageTokens.read("primaryNetworkTransactions", list, pageToken) ?? [];
      const values = [network.networkId, chain, position, size + 1, ...filterValues(filter)];
      const rows = await pages[scope][sortOrder](values);
      const { items, nextPageToken } = pageOf(rows, fitting(rows, size), ({ txSeq }) =>
        pageTokens.sign("primaryNetworkTransactions", list, [txSeq]),
      );
      return { items: await completeTransactions(network, items, linked), nextPageToken };
    },
    async named(network, txHashes) {
      const rows = await named([network.networkId, byteaArray(txHashes)]);
      return completeTransactions(network, rows, linked);
    },
  };
}

/** Parameters of a statement from the fifth on: as many as its scope has. */
function filterValues(filter: TransactionFilter): unknown[] {
  const { scope, addresses, validationId, txTypes, startTimestamp, endTimestamp } = filter;
  if (scope === "chain") return [];
  const owners = addresses && byteaArray(addresses);
  const values = [txTypes, txTypes?.includes("UNKNOWN") ?? false, startTimestamp, endTimestamp, owners];
  return scope === "validation" ? [...values, bytea(validationId ?? "0x")] : values;
}

/** How many of the rows have no more outputs together than a page may; one at least, `size` at most. */
function fitting(rows: readonly TransactionRow[], size: number): number {
  let outputs = 0;
  const end = rows.slice(0, size).findIndex(({ consumedUtxoIds, emittedUtxoIds }, index) => {
    outputs += countOf(consumedUtxoIds) + countOf(emittedUtxoIds);
    return index > 0 && outputs > MOST_OUTPUTS;
  });
  return end === -1 ? size : end;
}

const HASH_AND_COMMA = "\\x".length + 64 + 1;

/** Number of 32-byte ids in such a text. */
const countOf = (list: string): number => (list === "" ? 0 : (list.length + 1) / HASH_AND_COMMA);
