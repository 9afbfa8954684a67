import { type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { ABOVE_EVERY_ADDRESS, MAX_CANDIDATES } from "../holders/keys.ts";
import { type Frame, type Place, parseCursor } from "./cursor.ts";
import { holdersAboveStatement } from "./statement.ts";

/** A page of the addresses that held more than `threshold` at some moment of a time frame. */
export interface HoldersAboveKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  readonly threshold: string;
  /** Times in seconds; they determine the frame of a first page. */
  readonly from: number;
  readonly to: number;
  /** Cursor of the page before; null for the first page. */
  readonly after: string | null;
  readonly size: number;
}

export interface HolderAbove extends Place {
  /** The current balance. */
  readonly balance: string;
}

export interface StoredHoldersAbove extends HoldersAboveKey {
  readonly frame: Frame;
  /** The last indexed block. */
  readonly head: string;
  /** Hash of the last indexed block, whose balances the holders have. */
  readonly blockHash: string;
  /** By highest balance up to the pinned block, lowest first, then by address. */
  readonly items: readonly HolderAbove[];
  /** The place after which the next page begins, if `maxCandidates` addresses do not fill this one; otherwise null. */
  readonly lastCandidate: Place | null;
}

export interface HoldersAboveStore {
  /** Reads pages of any tokens in one statement for each chain. Chains that are not indexed are left out. */
  pages(keys: readonly HoldersAboveKey[], work: Work): Promise<StoredHoldersAbove[]>;
}

interface Row extends Frame {
  readonly request: string;
  readonly head: string;
  readonly blockHash: string;
  /** The columns of a holder are null if the page is empty. */
  readonly address: string | null;
  readonly peak: string;
  readonly balance: string;
  readonly lastAddress: string | null;
  readonly lastPeak: string;
}

export function createHoldersAboveStore(
  { pool }: Pick<Database, "pool">,
  maxCandidates = MAX_CANDIDATES,
): HoldersAboveStore {
  const statement = holdersAboveStatement(maxCandidates);
  const name = `metrics-holders-above-${maxCandidates}`;
  const read = readRowsOfKeys(prepared<Row & Record<string, string | null>>(pool, name, statement), PARAMETERS);
  return {
    async pages(keys, work) {
      const byKey = await read(keys, work);
      return keys.flatMap((key, index) => pageOfRows(key, byKey[index] ?? []));
    },
  };
}

/** The parameters of the statement. */
export const PARAMETERS: PartitionParameters<HoldersAboveKey> = {
  partitionOf: ({ chainId }) => chainId,
  valuesOf(keys) {
    const starts = keys.map(({ after }) => (after === null ? null : parseCursor(after)));
    return [
      keys.map(({ tokenAddress }) => bytea(tokenAddress)),
      keys.map(({ threshold }) => threshold),
      keys.map(({ from }) => from),
      keys.map(({ to }) => to),
      starts.map((start) => start?.firstBlock ?? null),
      starts.map((start) => start?.lastBlock ?? null),
      starts.map((start) => start?.pinnedBlock ?? null),
      starts.map((start, index) => start?.peak ?? keys[index]?.threshold),
      starts.map((start) => (start ? bytea(start.address) : ABOVE_EVERY_ADDRESS)),
      keys.map(({ size }) => size),
    ];
  },
};

/** Nothing if the chain is not indexed. An empty page has one row, whose columns of a holder are null. */
function pageOfRows(key: HoldersAboveKey, rows: readonly Row[]): StoredHoldersAbove[] {
  const [row] = rows;
  if (!row) return [];
  const { firstBlock, lastBlock, pinnedBlock, head, blockHash, lastAddress, lastPeak } = row;
  const items = rows.flatMap(({ address, peak, balance }) => (address === null ? [] : [{ address, peak, balance }]));
  const lastCandidate = lastAddress === null ? null : { address: lastAddress, peak: lastPeak };
  return [{ ...key, frame: { firstBlock, lastBlock, pinnedBlock }, head, blockHash, items, lastCandidate }];
}
