import type { PrimaryChain } from "../../../../core/networks/primary-chains.ts";
import { createPChainHours, type PChainHours } from "./activity/p-chain-hours.ts";
import { type ListedTransaction, listIn } from "./address-lists.ts";
import type { Consumption } from "./outputs/spending.ts";
import { type MutableTable, type RowOf, TABLE_NAMES, type Table } from "./tables.ts";

type StoredBySteps = "utxos" | "utxo_owners" | "primary_address_transactions" | "primary_exceptions";
type InsertedTable = Exclude<Table, MutableTable | StoredBySteps>;

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

/** The rows of some blocks, collected in memory and written in one transaction. */
export interface Batch {
  readonly added: { readonly [Name in InsertedTable]: RowOf<Name>[] };
  /** New and changed rows, by their key. */
  readonly changed: { readonly [Name in MutableTable]: Map<string, RowOf<Name>> };
  readonly created: ReadonlyMap<string, RowOf<"utxos">>;
  /** All spending, in the order of the chain. */
  readonly consumptions: readonly Consumption[];
  readonly exceptions: readonly RowOf<"primary_exceptions">[];
  /** `tx_seq` of repeated transactions whose row moves to their block. */
  readonly moved: number[];
  /** Figures of the P-Chain's hours that no row of the batch contains. */
  readonly pChainHours: PChainHours;
  /** Ids of the outputs that decisions on proposals created or returned, by the `tx_seq` of the proposed transaction. */
  readonly decided: Map<number, readonly string[]>;
  /** New end times of stakes whose outputs earlier batches created, by the output's id. */
  readonly stakeEnds: ReadonlyMap<string, number>;
  /** The transactions of each address. */
  readonly listed: ReadonlyMap<string, RowOf<"primary_address_transactions">>;
  add<Name extends InsertedTable>(table: Name, row: RowOf<Name>): void;
  create(row: RowOf<"utxos">): void;
  /** Moves the end of a stake. */
  extendStake(utxoIds: readonly string[], end: number): void;
  consume(consumption: Consumption): void;
  /** Records what consensus accepted although the rows contradict it. */
  except(row: RowOf<"primary_exceptions">): void;
  /** Lists a transaction for addresses. It may be listed for some of them already. */
  list(addresses: Iterable<string>, transaction: ListedTransaction): void;
  /** Addresses that own a stake or a refund. */
  ownersOf(utxoId: string): readonly string[];
}

/** An empty batch. `owners` are those of the stakes that it may return and that earlier batches created. */
export function createBatch(owners: ReadonlyMap<string, readonly string[]>): Batch {
  const added = Object.fromEntries(TABLE_NAMES.map((table) => [table, []])) as unknown as Batch["added"];
  const created = new Map<string, RowOf<"utxos">>();
  const consumptions: Consumption[] = [];
  const exceptions: RowOf<"primary_exceptions">[] = [];
  const stakeEnds = new Map<string, number>();
  const listed = new Map<string, RowOf<"primary_address_transactions">>();
  return {
    added,
    changed: { stakers: new Map(), subnets: new Map(), l1_validators: new Map(), validator_weights: new Map() },
    created,
    consumptions,
    exceptions,
    moved: [],
    pChainHours: createPChainHours(),
    decided: new Map(),
    stakeEnds,
    listed,
    add(table, row) {
      (added[table] as unknown[]).push(row); // rows of that table, by the signature
    },
    create(row) {
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
      consumptions.push(consumption);
    },
    except(row) {
      exceptions.push(row);
    },
    list: (addresses, transaction) => listIn(listed, addresses, transaction),
    ownersOf: (utxoId) => created.get(utxoId)?.addresses ?? owners.get(utxoId) ?? [],
  };
}
