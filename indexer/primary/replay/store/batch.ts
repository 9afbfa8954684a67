import { BadUpstreamData } from "../../../../core/errors.ts";
import type { PrimaryChain } from "../../network/chains.ts";
import { type MutableTable, type RowOf, TABLES, type Table } from "./columns.ts";

type InsertedTable = Exclude<Table, MutableTable | "utxos">;

/** The block or vertex that a transaction or an output is in. */
export interface ChainPosition {
  readonly chain: PrimaryChain;
  /** Null in a vertex. */
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  /** Null in a block. */
  readonly vertexIndex: number | null;
  /** In seconds. */
  readonly timestamp: number;
}

/** The spending of an output. */
export interface Consumption {
  readonly utxoId: string;
  readonly txHash: string;
  readonly blockNumber: number | null;
  readonly timestamp: number;
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

/** The rows of some blocks, collected in memory and written in one transaction. */
export interface Batch {
  readonly added: { readonly [Name in InsertedTable]: RowOf<Name>[] };
  /** New and changed rows, by their key. */
  readonly changed: { readonly [Name in MutableTable]: Map<string, RowOf<Name>> };
  readonly created: ReadonlyMap<string, RowOf<"utxos">>;
  /** The spending of outputs that earlier batches created. */
  readonly consumptions: readonly Consumption[];
  /** Ids of the outputs that decisions on proposals created or returned, by the `tx_seq` of the proposed transaction. */
  readonly decided: Map<number, readonly string[]>;
  /** New end times of stakes whose outputs earlier batches created, by the output's id. */
  readonly stakeEnds: ReadonlyMap<string, number>;
  add<Name extends InsertedTable>(table: Name, row: RowOf<Name>): void;
  /** Throws `BadUpstreamData` if this batch created the same output before. */
  create(row: RowOf<"utxos">): void;
  /** Moves the end of a stake. */
  extendStake(utxoIds: readonly string[], end: number): void;
  /** Throws `BadUpstreamData` if this batch spent the same output before. */
  consume(consumption: Consumption): void;
  /** Addresses that own an output; empty if its creation is not indexed yet. */
  ownersOf(utxoId: string): readonly string[];
}

/** An empty batch. `owners` are those of the outputs that it spends and that earlier batches created. */
export function createBatch(owners: ReadonlyMap<string, readonly string[]>): Batch {
  const added = Object.fromEntries(Object.keys(TABLES).map((table) => [table, []])) as unknown as Batch["added"];
  const created = new Map<string, RowOf<"utxos">>();
  const consumptions = new Map<string, Consumption>();
  const stakeEnds = new Map<string, number>();
  return {
    added,
    changed: { stakers: new Map(), subnets: new Map(), l1_validators: new Map(), validator_weights: new Map() },
    created,
    decided: new Map(),
    stakeEnds,
    get consumptions() {
      return [...consumptions.values()];
    },
    add(table, row) {
      (added[table] as unknown[]).push(row); // rows of that table, by the signature
    },
    create(row) {
      if (created.has(row.utxo_id)) throw new BadUpstreamData(`output ${row.utxo_id} is created twice`);
      created.set(row.utxo_id, row);
    },
    extendStake(utxoIds, end) {
      for (const id of utxoIds) {
        const row = created.get(id);
        if (row) row.stake_end = end;
        else stakeEnds.set(id, end);
      }
    },
    consume(consumption) {
      const { utxoId, txHash, blockNumber, timestamp } = consumption;
      const row = created.get(utxoId);
      if (consumptions.has(utxoId) || (row && row.consumed_tx_hash !== null))
        throw new BadUpstreamData(`transaction ${txHash} spends output ${utxoId}, which is spent already`);
      if (!row) consumptions.set(utxoId, consumption);
      else
        Object.assign(row, {
          consumed_tx_hash: txHash,
          consumed_block_number: blockNumber,
          consumed_timestamp: timestamp,
        });
    },
    ownersOf: (utxoId) => created.get(utxoId)?.addresses ?? owners.get(utxoId) ?? [],
  };
}
