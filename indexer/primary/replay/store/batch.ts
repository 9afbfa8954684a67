import { BadUpstreamData } from "../../../../core/errors.ts";
import type { PrimaryChain } from "../../network/chains.ts";
import { type KEYS, type RowOf, TABLES, type Table } from "./columns.ts";

/** Tables whose rows change after they were made. */
export type Changing = keyof typeof KEYS;
type Added = Exclude<Table, Changing | "utxos">;

/** Where something happens. */
export interface Place {
  readonly chain: PrimaryChain;
  /** Null in a vertex. */
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly vertexIndex: number | null;
  /** Seconds. */
  readonly timestamp: number;
}

/** What spends an output. */
export interface Consumption {
  readonly utxoId: string;
  readonly txHash: string;
  readonly blockNumber: number | null;
  readonly timestamp: number;
  /** What an import says of an output that its own chain may show only later; null on the output's own chain. */
  readonly imported: Imported | null;
}

export type Imported = Pick<
  RowOf<"utxos">,
  "tx_hash" | "output_index" | "asset_id" | "amount" | "created_on_chain" | "chain"
>;

/** The rows of some blocks, gathered to be written in one transaction. */
export interface Batch {
  readonly added: { readonly [Name in Added]: RowOf<Name>[] };
  /** Rows that came or changed, by their key. */
  readonly changed: { readonly [Name in Changing]: Map<string, RowOf<Name>> };
  readonly created: ReadonlyMap<string, RowOf<"utxos">>;
  /** Of outputs that were not created in this batch. */
  readonly consumptions: readonly Consumption[];
  /** What decisions on proposals made, by the number of the proposed transaction. */
  readonly decided: Map<number, readonly string[]>;
  add<Name extends Added>(table: Name, row: RowOf<Name>): void;
  /** Ends of stakes, by their outputs, that were not made in this batch. */
  readonly stakeEnds: ReadonlyMap<string, number>;
  create(row: RowOf<"utxos">): void;
  /** Outputs stay staked up to another end. */
  extendStake(utxoIds: readonly string[], end: number): void;
  /** Refuses what this batch has seen spent already. */
  consume(consumption: Consumption): void;
  /** Whose an output is; nobody's while its creation was not seen. */
  ownersOf(utxoId: string): readonly string[];
}

/** An empty batch. `owners` are those of outputs that it spends and earlier batches made. */
export function createBatch(owners: ReadonlyMap<string, readonly string[]>): Batch {
  const added = Object.fromEntries(Object.keys(TABLES).map((table) => [table, []])) as unknown as Batch["added"];
  const created = new Map<string, RowOf<"utxos">>();
  const consumptions = new Map<string, Consumption>();
  const stakeEnds = new Map<string, number>();
  return {
    added,
    changed: { stakers: new Map(), subnets: new Map(), l1_validators: new Map() },
    created,
    decided: new Map(),
    stakeEnds,
    get consumptions() {
      return [...consumptions.values()];
    },
    add(table, row) {
      (added[table] as unknown[]).push(row); // the table's own rows
    },
    create(row) {
      if (created.has(row.utxo_id)) throw new BadUpstreamData(`output ${row.utxo_id} is made twice`);
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
