import { type PartitionParameters, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { MAX_CANDIDATES } from "../holders/keys.ts";
import { addressDigest, type Place, parseCursor } from "./cursor.ts";
import { holdersAboveStatement } from "./statement.ts";

/** A page of the addresses that held more than `threshold` at some moment of a time frame. */
export interface HoldersAboveKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  readonly threshold: string;
  /** Times in seconds. */
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
  /** The last indexed block when the first page was read. */
  readonly pinnedBlock: string;
  /** True if the address of the cursor has no row any more, or another id. */
  readonly isLost: boolean;
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

interface Row {
  readonly request: string;
  readonly pinnedBlock: string;
  readonly isLost: boolean;
  /** The address that has the id of the cursor. */
  readonly addressAfter: string;
  readonly head: string;
  readonly blockHash: string;
  /** The columns of a holder are null if the page is empty. */
  readonly address: string | null;
  readonly holderId: number;
  readonly balance: string;
  readonly lastHolderId: number | null;
  readonly lastAddress: string | null;
}

export function createHoldersAboveStore(
  { pool }: Pick<Database, "pool">,
  maxCandidates = MAX_CANDIDATES,
): HoldersAboveStore {
  const statement = holdersAboveStatement(maxCandidates);
  const name = `metrics-holders-above-${maxCandidates}`;
  const read = readRowsOfKeys(
    prepared<Row & Record<string, string | number | boolean | null>>(pool, name, statement),
    PARAMETERS,
  );
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
      starts.map((start) => start?.pinnedBlock ?? null),
      starts.map((start) => start?.holderId ?? null),
      keys.map(({ size }) => size),
    ];
  },
};

/** Nothing if the chain is not indexed. An empty page has one row, whose columns of a holder are null. */
function pageOfRows(key: HoldersAboveKey, rows: readonly Row[]): StoredHoldersAbove[] {
  const [row] = rows;
  if (!row) return [];
  const { pinnedBlock, head, blockHash, addressAfter, lastHolderId, lastAddress } = row;
  const isLost = row.isLost || (key.after !== null && parseCursor(key.after).digest !== addressDigest(addressAfter));
  const items = rows.flatMap(({ address, holderId, balance }) =>
    address === null ? [] : [{ address, holderId, balance }],
  );
  const lastCandidate =
    lastHolderId === null || lastAddress === null ? null : { holderId: lastHolderId, address: lastAddress };
  return [{ ...key, pinnedBlock, isLost, head, blockHash, items, lastCandidate }];
}
