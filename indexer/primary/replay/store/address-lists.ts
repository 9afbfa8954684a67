import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import type { Session } from "../../../shared/writer.ts";
import { copyRows, insertRows } from "./rows.ts";
import type { RowOf } from "./tables.ts";

type ListRow = RowOf<"primary_address_transactions">;
export type ListedTransaction = Omit<ListRow, "address">;

/** Adds the transaction to the list of each address. */
export function listIn(
  lists: Map<string, ListRow>,
  addresses: Iterable<string>,
  { chain, tx_seq, tx_type, block_timestamp }: ListedTransaction,
): void {
  for (const address of addresses)
    lists.set(`${address} ${chain} ${tx_seq}`, { chain, address, tx_seq, tx_type, block_timestamp });
}

/** The first transaction of a batch. */
export interface BatchStart {
  readonly chain: PrimaryChain;
  readonly txSeq: number;
}

/** Writes rows. Those of other chains, and of transactions before the batch, may be stored already. */
export async function storeLists(
  session: Session,
  networkId: number,
  lists: ReadonlyMap<string, ListRow>,
  start: BatchStart,
): Promise<void> {
  const table = "primary_address_transactions";
  const rows = [...lists.values()];
  const isEarlier = ({ chain, tx_seq }: ListRow) => chain !== start.chain || tx_seq < start.txSeq;
  await copyRows(
    session,
    networkId,
    table,
    rows.filter((row) => !isEarlier(row)),
  );
  const earlier = rows.filter(isEarlier);
  if (earlier.length === 0) return;
  await insertRows(session, networkId, table, earlier, "ON CONFLICT DO NOTHING");
}
