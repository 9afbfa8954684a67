import { inSession } from "./database.ts";

/** Size of a part of a table: its rows, its large values (TOAST) or one of its indexes. */
export interface PartSize {
  readonly table: string;
  /** `rows`, `large values`, or the columns of an index. */
  readonly part: string;
  readonly isIndex: boolean;
  readonly bytes: number;
  /** The size after the indexes are rebuilt. */
  readonly rebuiltBytes: number;
}

type Row = Pick<PartSize, "table" | "part" | "isIndex"> & { readonly bytes: string };

const PARTS = `WITH partitions AS (
    SELECT parent.relname AS name, child.oid, child.reltoastrelid AS toast
    FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent JOIN pg_class child ON child.oid = inhrelid
    WHERE child.relkind = 'r' AND child.relname = parent.relname || '_' || $1)
  SELECT name AS "table", 'rows' AS part, false AS "isIndex", pg_table_size(oid) - coalesce(pg_total_relation_size(nullif(toast, 0)), 0) AS bytes
  FROM partitions
  UNION ALL SELECT name, 'large values', false, pg_total_relation_size(toast) FROM partitions WHERE toast > 0
  UNION ALL SELECT name, (SELECT string_agg(pg_get_indexdef(indexrelid, n, false), ', ' ORDER BY n) FROM generate_series(1, indnkeyatts) n),
    true, pg_total_relation_size(indexrelid)
  FROM partitions JOIN pg_index ON indrelid = oid`;

/** Smaller parts are empty tables and indexes, which have a page or two. */
const LEAST_BYTES = 64 * 1024;

/** Sizes of the partitions of a chain after VACUUM, and after `rebuildIndexes`, the largest table first. */
export async function measureTableSizes(
  url: string,
  chainId: number,
  rebuildIndexes: () => Promise<void>,
): Promise<PartSize[]> {
  return inSession(url, async (client) => {
    const read = async () => (await client.query<Row>(PARTS, [String(chainId)])).rows;
    await client.query("VACUUM ANALYZE");
    const rows = await read();
    await rebuildIndexes();
    const rebuilt = new Map((await read()).map((row) => [`${row.table} ${row.part}`, Number(row.bytes)]));
    const parts = rows
      .map((row) => ({ ...row, bytes: Number(row.bytes), rebuiltBytes: rebuilt.get(`${row.table} ${row.part}`) ?? 0 }))
      .filter(({ bytes }) => bytes >= LEAST_BYTES);
    const sizes = new Map<string, number>();
    for (const { table, bytes } of parts) sizes.set(table, (sizes.get(table) ?? 0) + bytes);
    return parts.toSorted((one, other) => sizeOf(sizes, other) - sizeOf(sizes, one) || other.bytes - one.bytes);
  });
}

const sizeOf = (sizes: ReadonlyMap<string, number>, { table }: PartSize): number => sizes.get(table) ?? 0;
