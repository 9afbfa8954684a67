import { lastDifferenceText } from "../../shared/verification.ts";
import type { Session } from "../../shared/writer.ts";
import { indexedBlock } from "../store/head.ts";
import type { IndexedBlock } from "./compare-node.ts";
import { type Compared, NOTHING_REPEATED, type Repeated } from "./difference.ts";

/** The result of the last comparison of a chain. */
export interface StoredVerification {
  /** Last block of the last comparison without a difference; null if there was none. */
  readonly blockNumber: number | null;
  readonly differingCount: number;
  readonly repeated: Repeated;
}

export async function loadVerification(
  session: Pick<Session, "query">,
  chainId: string,
): Promise<StoredVerification | null> {
  const [row] = await session.query<{ block_number: string | null; differing_count: string; repeated: string }>(
    "SELECT block_number, differing_count, repeated FROM chain_verifications WHERE chain_id = $1",
    [chainId],
  );
  if (!row) return null;
  return {
    blockNumber: row.block_number === null ? null : Number(row.block_number),
    differingCount: Number(row.differing_count),
    repeated: { ...NOTHING_REPEATED, ...(JSON.parse(row.repeated) as Partial<Repeated>) },
  };
}

/** Things of one kind that the next comparison includes again. */
const MAX_REPEATED = 5;

const STORE = `INSERT INTO chain_verifications AS v
    (chain_id, block_number, verified_at, checked_count, differing_count, repeated, last_difference)
  VALUES ($1, CASE WHEN $4 = 0 THEN $2::bigint END, extract(epoch FROM now())::bigint, $3, $4::bigint, $5, $6)
  ON CONFLICT (chain_id) DO UPDATE SET block_number = coalesce(excluded.block_number, v.block_number),
    verified_at = excluded.verified_at, checked_count = excluded.checked_count, differing_count = excluded.differing_count,
    repeated = excluded.repeated, last_difference = coalesce(excluded.last_difference, v.last_difference)
  RETURNING block_number`;

/**
 * Stores the result of a comparison up to a block. Returns the last block of the last comparison without a difference, or undefined, and
 * stores nothing, if the index has rolled that block back meanwhile.
 */
export async function storeVerification(
  session: Session,
  chainId: string,
  { number, hash }: IndexedBlock,
  { checked, differing, differences, repeated }: Compared,
): Promise<number | null | undefined> {
  if ((await indexedBlock(session, chainId, number))?.hash !== hash) return undefined;
  const some = Object.fromEntries(
    Object.entries(repeated).map(([kind, things]) => [kind, unique(things).slice(0, MAX_REPEATED)]),
  );
  const values = [chainId, number, checked, differing, JSON.stringify(some), lastDifferenceText(differences)];
  const [row] = await session.query<{ block_number: string | null }>(STORE, values);
  return row?.block_number == null ? null : Number(row.block_number);
}

const unique = (things: readonly unknown[]): unknown[] => [
  ...new Map(things.map((one) => [JSON.stringify(one), one])).values(),
];
