import { type Database, P_CHAIN_HEAD, prepared, primaryHead } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import { INEXACT_VERTICES, type InexactVertices, inexactTime } from "../../../core/networks/vertex-times.ts";
import type { Work } from "../../../core/work/work.ts";
import { descending, type Keyset, of } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { AssetStore } from "../assets/store.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { UtxoStore } from "../utxos/store.ts";
import { assembleTransactions } from "./assemble.ts";
import type { TransactionFilter } from "./filter.ts";
import { createTransactionLists } from "./lists.ts";
import { TRANSACTIONS_BY_ID, type TransactionRow } from "./rows.ts";
import type { PrimaryNetworkTransaction } from "./types.ts";

/** Maximum number of outputs on a page with more than one transaction. */
const MAX_OUTPUTS = 2_000;

export interface TransactionStore {
  /**
   * A page in chain order; without addresses and validation, a filtered page is in the order of time. If the next transaction in its direction would bring it above 2,000 outputs, it ends before that transaction. Throws
   * `INVALID_PARAMETER` if it is not certain which vertices are before the times of the filter.
   */
  page(
    network: ServedNetwork,
    filter: TransactionFilter,
    args: PageRange,
    work: Work,
  ): Promise<Page<PrimaryNetworkTransaction>>;
  /** The indexed transactions with these IDs (`0x` hex), in any order. */
  byIds(network: ServedNetwork, txHashes: readonly string[], work: Work): Promise<PrimaryNetworkTransaction[]>;
  /** The transactions of an address on a chain, newest first. Parent key: network ID, chain, address as BYTEA. Call once per request. */
  ofAddress(work: Work): NestedList<FoundTransaction>;
  /** Like `ofAddress`, for the P-Chain's transactions that concern an L1 validator. Parent key: network ID, validation ID as BYTEA. */
  ofL1Validator(work: Work): NestedList<FoundTransaction>;
}

/** A transaction in a list. */
interface FoundTransaction {
  /** `0x` hex. */
  readonly txHash: string;
  readonly txSeq: string;
}

/** SELECT of the transactions of a chain that a table lists with a parent. */
const listedIn =
  (table: string, chain: string, isOfParent: string) =>
  ({ after, orderBy }: Keyset) =>
    `SELECT t.tx_hash AS "txHash", a.tx_seq AS "txSeq" FROM ${table} a, LATERAL (
      SELECT tx_hash FROM primary_transactions WHERE network_id = $1 AND chain = ${chain} AND tx_seq = a.tx_seq LIMIT 1
    ) t
    WHERE a.network_id = $1 AND ${isOfParent} AND ${after(of("a"))} ORDER BY ${orderBy(of("a"))}`;

const NEWEST_FIRST = {
  order: descending({ tx_seq: "bigint" }),
  positionOf: ({ txSeq }: FoundTransaction) => [txSeq],
};

const OF_ADDRESS = {
  ...NEWEST_FIRST,
  name: "primary-transactions-of-parent-address",
  key: { network_id: "bigint", chain: "text", address: "bytea" },
  head: primaryHead("k.chain"),
  select: listedIn("primary_address_transactions", "k.chain", "a.chain = k.chain AND a.address = k.address"),
};

const OF_L1_VALIDATOR = {
  ...NEWEST_FIRST,
  name: "primary-transactions-of-l1-validator",
  key: { network_id: "bigint", validation_id: "bytea" },
  head: P_CHAIN_HEAD,
  select: listedIn("l1_validator_transactions", "'P'", "a.validation_id = k.validation_id"),
};

/**
 * Each call costs two statements, for rows and outputs, a third one for assets that are not known yet, and one more for a filter by
 * time on the X-Chain.
 */
export function createTransactionStore(
  { pool }: Pick<Database, "pool">,
  pageTokens: PageTokens,
  linked: { readonly utxos: UtxoStore; readonly assets: AssetStore },
): TransactionStore {
  const byIds = prepared<TransactionRow>(pool, "primary-transactions", TRANSACTIONS_BY_ID);
  const inexactVertices = prepared<InexactVertices>(pool, "primary-transactions-inexact-vertices", INEXACT_VERTICES);
  const checkTimes = async ({ networkId }: ServedNetwork, filter: TransactionFilter, work: Work) => {
    const { chain, addresses, startTimestamp, endTimestamp } = filter;
    // A vertex is before a time if it was accepted in the second before it, or earlier.
    const times = [startTimestamp, endTimestamp].flatMap((time) => (time === null ? [] : [String(BigInt(time) - 1n)]));
    if (chain !== "X" || times.length === 0) return;
    const [inexact] = await inexactVertices([networkId, chain, byteaArray(addresses ?? []), times, null], work);
    if (inexact) throw inexactTime(`the filter by time (${filterText(filter)})`, inexact);
  };
  const lists = createTransactionLists(pool);
  return {
    async page(network, filter, page, work) {
      const { networkId } = network;
      await checkTimes(network, filter, work);
      const found = await readListPage(pageTokens, {
        ...lists(networkId, filter, work),
        list: "primaryNetworkTransactions",
        parameters: [networkId, ...Object.values(filter)],
        page,
        countFitting: (rows) => countFitting(rows, page.size),
      });
      return found.withNodes(await assembleTransactions(network, found.nodes, linked, work));
    },
    async byIds(network, txHashes, work) {
      const rows = await byIds([network.networkId, byteaArray(txHashes)], work);
      return assembleTransactions(network, rows, linked, work);
    },
    ofAddress: createNestedList(pool, pageTokens, OF_ADDRESS, async (rows: FoundTransaction[]) => rows),
    ofL1Validator: createNestedList(pool, pageTokens, OF_L1_VALIDATOR, async (rows: FoundTransaction[]) => rows),
  };
}

function filterText({ startTimestamp, endTimestamp }: TransactionFilter): string {
  const texts = Object.entries({ startTimestamp, endTimestamp }).flatMap(([name, time]) =>
    time === null ? [] : [`${name} ${time}`],
  );
  return texts.join(", ");
}

/** Number of rows whose outputs fit on a page: at least one, at most `size`. */
function countFitting(rows: readonly TransactionRow[], size: number): number {
  let outputs = 0;
  const end = rows.slice(0, size).findIndex(({ consumedUtxoIds, emittedUtxoIds }, index) => {
    outputs += countOf(consumedUtxoIds) + countOf(emittedUtxoIds);
    return index > 0 && outputs > MAX_OUTPUTS;
  });
  return end === -1 ? size : end;
}

const HASH_AND_COMMA = "\\x".length + 64 + 1;

/** Number of 32-byte IDs in a byte list. */
const countOf = (list: string): number => (list === "" ? 0 : (list.length + 1) / HASH_AND_COMMA);
