import type { PrimaryChain } from "../../../../../core/networks/primary-chains.ts";
import type { ListedTransaction } from "../address-lists.ts";
import type { RowOf } from "../tables.ts";

/** The transaction that consumes an output. */
export interface Spender extends Omit<ListedTransaction, "chain"> {
  readonly chain: PrimaryChain;
  readonly tx_hash: string;
  readonly block_number: number | null;
}

/** The spending of an output. */
export interface Consumption {
  readonly utxoId: string;
  readonly spender: Spender;
  /** Position among the inputs of the transaction. */
  readonly inputIndex: number;
  /**
   * The fields of an imported output that the input contains, because the exporting chain may be indexed later. Null if the output
   * was created on the spending chain.
   */
  readonly imported: ImportedOutput | null;
}

export type ImportedOutput = Pick<
  RowOf<"utxos">,
  "tx_hash" | "output_index" | "asset_id" | "amount" | "created_on_chain" | "chain"
>;

/** An input of a stored transaction. */
export interface StoredInput {
  readonly utxoId: string;
  /** Position among the inputs of the transaction. */
  readonly inputIndex: number;
  readonly spender: Spender;
}

/** A row that has `INPUT_COLUMNS`, `utxo_id` as `id`, and `input_index`. */
export interface InputRow extends Record<string, unknown> {
  readonly id: string;
  readonly input_index: number;
  readonly chain: PrimaryChain;
  readonly tx_seq: string;
  readonly tx_type: string;
  readonly tx_hash: string;
  readonly block_number: string | null;
  readonly block_timestamp: string;
}

/** Columns of an output that say what consumed it. */
export const CONSUMPTION_COLUMNS = ["consumed_tx_hash", "consumed_block_number", "consumed_timestamp"] as const;

/** Columns of the spending transaction `t`. */
export const SPENDER_COLUMNS =
  "t.chain, t.tx_seq, t.tx_type, encode(t.tx_hash, 'hex') AS tx_hash, t.block_number, t.block_timestamp";

export function storedInput({ id, input_index, chain, tx_type, tx_hash, ...row }: InputRow): StoredInput {
  return {
    utxoId: id,
    inputIndex: input_index,
    spender: {
      chain,
      tx_type,
      tx_hash,
      tx_seq: Number(row.tx_seq),
      block_number: row.block_number === null ? null : Number(row.block_number),
      block_timestamp: Number(row.block_timestamp),
    },
  };
}
