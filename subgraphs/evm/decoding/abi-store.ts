import type { AbiEntry, AbiKind } from "../../../core/abi/abi-entry.ts";
import { cached } from "../../../core/caches/cached.ts";
import { type Numbered, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { IMPLEMENTATION } from "./implementation-store.ts";
import type { AbiSource } from "./types.ts";

/** What is to be decoded: by a function, event or error with this selector, of this contract. Both are `0x` hex. */
export interface AbiKey {
  readonly chainId: string;
  readonly address: string;
  readonly kind: AbiKind;
  readonly selector: string;
}

export interface AddedEntry {
  readonly source: AbiSource;
  readonly entry: AbiEntry;
}

/** The entries of added ABIs that may decode what the key names, the most specific first. */
export interface AddedEntries extends AbiKey {
  readonly entries: readonly AddedEntry[];
}

export interface AbiStore {
  /** Reads the entries of each key in one statement for each chain. It reads no other entries, so it needs no cache that could be out of date. */
  entriesOf(keys: readonly AbiKey[], work: Work): Promise<AddedEntries[]>;
}

const SELECTOR = "e.kind = k.kind AND e.selector = k.selector AND (e.chain_id = $1 OR e.chain_id IS NULL)";

/** An ABI that was added later precedes an earlier one for the same contract. */
const ENTRIES = `SELECT k.request, e.source, e.entry
  FROM unnest($2::bytea[], $3::text[], $4::bytea[]) WITH ORDINALITY AS k(address, kind, selector, request),
  LATERAL (SELECT ${IMPLEMENTATION} AS address) implementation,
  LATERAL (
    SELECT 1 AS place, 'CONTRACT' AS source, e.* FROM contract_abi_entries e WHERE ${SELECTOR} AND e.address = k.address
    UNION ALL
    SELECT 2, 'IMPLEMENTATION', e.* FROM contract_abi_entries e WHERE ${SELECTOR} AND e.address = implementation.address
    UNION ALL
    SELECT 3, 'SHARED', e.* FROM contract_abi_entries e WHERE ${SELECTOR} AND e.address IS NULL
  ) e ORDER BY k.request, e.place, e.abi_id DESC, e.entry_index`;

interface EntryRow extends Numbered {
  readonly source: AbiSource;
  readonly entry: string;
}

const MAX_PARSED = 10_000;
const parsed = cached((text) => JSON.parse(text) as AbiEntry, MAX_PARSED);

export function createAbiStore({ pool }: Pick<Database, "pool">): AbiStore {
  const rowsOf = readRowsOfKeys(prepared<{ [Name in keyof EntryRow]: EntryRow[Name] }>(pool, "abi-entries", ENTRIES), {
    partitionOf: ({ chainId }: AbiKey) => chainId,
    valuesOf: (keys) => [
      keys.map(({ address }) => bytea(address)),
      keys.map(({ kind }) => kind),
      keys.map(({ selector }) => bytea(selector)),
    ],
  });
  return {
    async entriesOf(keys, work) {
      const rows = await rowsOf(keys, work);
      return keys.map((key, at) => ({
        ...key,
        entries: (rows[at] ?? []).map(({ source, entry }) => ({ source, entry: parsed(entry) })),
      }));
    },
  };
}
