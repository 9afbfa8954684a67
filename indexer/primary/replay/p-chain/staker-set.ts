import type { RowOf } from "../store/tables.ts";
import { entryKey } from "./entry-key.ts";
import { createStakeCounter, type StakeTotals } from "./stake-totals.ts";

export type StakerRow = RowOf<"stakers">;

/** The pending and active validators and delegators. */
export interface StakerSet {
  get(txHash: string): StakerRow | undefined;
  /** Adds a row, or updates the set after its status changed. */
  put(row: StakerRow): void;
  delete(row: StakerRow): void;
  /** The active validators and delegators of a node. */
  activeOf(subnetId: string, nodeId: string): Iterable<StakerRow>;
  /** `entryKey` of each node whose stakers changed since the caller last emptied it; at first, of all nodes in the set. */
  readonly changedNodes: Set<string>;
  /** Totals of the active validators and delegators of the primary network. */
  readonly totals: StakeTotals;
  /** The validator row that a delegation to this node belongs to: the active one, else a pending one. */
  validator(subnetId: string, nodeId: string): StakerRow | undefined;
  /** Pending stakers that start by that time (seconds), in the order in which nodes start them. */
  toStart(timestamp: number): StakerRow[];
  /** Permissioned validators that end by that time (seconds). */
  toEnd(timestamp: number): StakerRow[];
}

/** A set that answers `toStart` and `toEnd` in constant time while nothing is due. */
export function createStakerSet(rows: Iterable<StakerRow> = []): StakerSet {
  const all = new Map<string, StakerRow>();
  const validators = new Map<string, StakerRow[]>();
  const active = new Map<string, Set<StakerRow>>();
  const pending = createTimeIndex("start_timestamp");
  const permissioned = createTimeIndex("end_timestamp");
  const counter = createStakeCounter();
  const set: StakerSet = {
    changedNodes: new Set(),
    get totals() {
      return counter.totals;
    },
    get: (txHash) => all.get(txHash),
    activeOf: (subnetId, nodeId) => active.get(entryKey(subnetId, nodeId)) ?? [],
    put(row) {
      const key = keyOf(row);
      set.changedNodes.add(key);
      counter.put(row);
      if (row.status === "ACTIVE") active.set(key, (active.get(key) ?? new Set()).add(row));
      if (row.kind === "VALIDATOR" && !all.has(row.tx_hash)) {
        const same = validators.get(key);
        if (same) same.push(row);
        else validators.set(key, [row]);
      }
      all.set(row.tx_hash, row);
      if (row.status === "PENDING") pending.add(row);
      else pending.delete(row);
      if (row.status === "ACTIVE" && row.is_permissioned) permissioned.add(row);
    },
    delete(row) {
      const key = keyOf(row);
      set.changedNodes.add(key);
      counter.delete(row);
      const ofNode = active.get(key);
      if (ofNode?.delete(row) && ofNode.size === 0) active.delete(key);
      all.delete(row.tx_hash);
      pending.delete(row);
      permissioned.delete(row);
      const others = validators.get(key)?.filter((other) => other !== row) ?? [];
      if (others.length > 0) validators.set(key, others);
      else if (row.kind === "VALIDATOR") validators.delete(key);
    },
    validator(subnetId, nodeId) {
      const rows = validators.get(entryKey(subnetId, nodeId)) ?? [];
      return rows.find(({ status }) => status === "ACTIVE") ?? rows[0];
    },
    toStart: (timestamp) => pending.dueBy(timestamp).sort(byStart),
    toEnd: (timestamp) => permissioned.dueBy(timestamp),
  };
  for (const row of rows) set.put(row);
  return set;
}

const keyOf = ({ subnet_id, node_id }: StakerRow): string => entryKey(subnet_id, node_id);

/** Rows by one of their times, with the earliest time known in advance. */
function createTimeIndex(column: "start_timestamp" | "end_timestamp") {
  const rows = new Set<StakerRow>();
  let earliest = Number.POSITIVE_INFINITY;
  return {
    add(row: StakerRow) {
      rows.add(row);
      earliest = Math.min(earliest, Number(row[column]));
    },
    delete(row: StakerRow) {
      if (!rows.delete(row) || Number(row[column]) > earliest) return;
      earliest = Number.POSITIVE_INFINITY;
      for (const other of rows) earliest = Math.min(earliest, Number(other[column]));
    },
    dueBy: (timestamp: number): StakerRow[] =>
      earliest > timestamp ? [] : [...rows].filter((row) => Number(row[column]) <= timestamp),
  };
}

const byStart = (one: StakerRow, other: StakerRow): number =>
  Number(one.start_timestamp) - Number(other.start_timestamp) ||
  Number(one.start_priority) - Number(other.start_priority) ||
  (one.tx_hash < other.tx_hash ? -1 : 1);
