import type { Database } from "../../../core/database/database.ts";
import type { PageRange } from "../../../core/graph/connection-args.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { sorted } from "../../shared/rows/keyset.ts";
import { createListReader } from "../../shared/rows/list-reader.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { POSITION_AT, UTXO_ORDER, utxoPositions, utxosStatement } from "./of-address-statement.ts";
import type { UtxoRow } from "./rows.ts";

/** Which outputs of an address a list has. */
export interface UtxoFilter {
  /** `0x` hex. */
  readonly address: string;
  /** Chains that can consume the outputs, without duplicates. */
  readonly chains: readonly PrimaryChain[];
  /** Whether spent outputs are listed, unspent ones, or both. */
  readonly isSpent: readonly boolean[];
  readonly direction: SortOrder;
}

/** Grows with every block of the network. */
const HEAD = "SELECT sum(block_number + raw_seq) FROM primary_heads WHERE network_id = $1";

/** Returns a function that reads a page of the outputs of an address. One statement. */
export function createUtxosOfAddress({ pool }: Pick<Database, "pool">, tokens: PageTokens) {
  const reader = (direction: SortOrder) =>
    createListReader<UtxoRow>(pool, {
      name: `utxos-of-address-${direction}`,
      order: sorted(UTXO_ORDER, direction),
      positionAt: POSITION_AT,
      select: utxosStatement,
      selectCounted: (keyset) => utxoPositions(keyset),
      head: HEAD,
    });
  const readers = { asc: reader("asc"), desc: reader("desc") };
  return ({ networkId }: ServedNetwork, filter: UtxoFilter, page: PageRange, work: Work): Promise<Page<UtxoRow>> => {
    const { address, chains, isSpent, direction } = filter;
    const utxos = readers[direction];
    const values = ({ position, limit }: PageFrom) => [networkId, bytea(address), chains, isSpent, limit, ...position];
    return readListPage(tokens, {
      list: "primaryNetworkUtxos",
      parameters: [networkId, address, chains, isSpent, direction],
      page,
      ends: utxos.ends,
      read: (from) => utxos.read(values, from, work),
      count: () => utxos.count(values, work),
      positionOf: ({ createdTimestamp, utxoId }) => [createdTimestamp ?? "0", bytea(utxoId)],
    });
  };
}
