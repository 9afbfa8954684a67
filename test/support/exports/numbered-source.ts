import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase } from "pg";
import Cursor from "pg-cursor";
import type { DayRows, ExportSource, LastBlock, ReadOptions, RowBatch } from "../../../exporter/export-source.ts";

export interface NumberedOptions {
  readonly rows: number;
  readonly rowsPerDay: number;
  readonly batchRows: number;
  /** Pause before each batch. */
  readonly delayMs: number;
  /** Characters that are added to the text of each row. Default: 0. */
  readonly padding?: number;
  /** Default: none. */
  readonly warnings?: readonly string[];
}

/** Rows of one transaction: reading can start again only after the last of them. */
const TRANSACTION_ROWS = 3;
const FIRST_DAY = Date.UTC(2024, 0, 1);

/** The columns of row `n`: its number, its day, and a text that CSV must quote and neutralise. */
export const numberedRow = (n: number, rowsPerDay: number, padding = 0): readonly string[] => [
  String(n),
  dayOf(n, rowsPerDay),
  n % 5 === 0 ? "" : `=cell "${n}", ü${" ".repeat(padding)}`,
];

export const NUMBERED_COLUMNS = ["Number", "Date", "Text"];

function dayOf(n: number, rowsPerDay: number): string {
  return new Date(FIRST_DAY + Math.floor((n - 1) / rowsPerDay) * 86_400_000).toISOString().slice(0, 10);
}

/**
 * A source of numbered rows, which PostgreSQL counts and generates: row `n` is of day `(n - 1) / rowsPerDay`. Its only block
 * is the row of the table `numbered_block`, if a test creates it.
 */
export function createNumberedSource(options: NumberedOptions, firstDate: string | null = null): ExportSource {
  const { rows, rowsPerDay, batchRows, delayMs, padding = 0, warnings = [] } = options;
  const first = firstDate === null ? 1 : ((Date.parse(firstDate) - FIRST_DAY) / 86_400_000) * rowsPerDay + 1;
  return {
    columns: NUMBERED_COLUMNS.map((name, i) => ({ name, kind: i === 0 ? "number" : "text" })),
    readBounds: async (client: ClientBase) => [{ chain: "1", blockNumber: "1", blockHash: await blockHash(client) }],
    areBlocksStillIndexed: async (client: ClientBase, [bound]) => bound?.blockHash === (await blockHash(client)),
    readWarnings: async () => warnings,
    async countDays(client: ClientBase) {
      const text =
        "SELECT (n - 1) / $2 AS day, count(*)::int AS rows FROM generate_series($3::int, $1) n GROUP BY 1 ORDER BY 1";
      const counted = await client.query<{ day: number; rows: number }>(text, [rows, rowsPerDay, first]);
      return counted.rows.map(({ day, rows }): DayRows => ({ date: dayOf(day * rowsPerDay + 1, rowsPerDay), rows }));
    },
    async *read(client: ClientBase, _bounds: readonly LastBlock[], { after, beforeDate, signal }: ReadOptions) {
      const text = "SELECT n FROM generate_series($1::int, $2::int) n";
      const cursor = client.query(new Cursor<{ n: number }>(text, [after === null ? first : Number(after) + 1, rows]));
      try {
        for (;;) {
          await sleep(delayMs, null, { signal });
          const numbers = (await cursor.read(batchRows)).map(({ n }) => n);
          const kept = numbers.filter((n) => beforeDate === null || dayOf(n, rowsPerDay) < beforeDate);
          if (kept.length > 0) yield batchOf(kept.map((n) => numberedRow(n, rowsPerDay, padding)));
          if (kept.length < batchRows) return;
        }
      } finally {
        await cursor.close();
      }
    },
  };
}

function batchOf(rows: readonly (readonly string[])[]): RowBatch {
  const [last = "0"] = rows.at(-1) ?? [];
  return { rows, position: Number(last) % TRANSACTION_ROWS === 0 ? last : null };
}

/** Row `n` as the file has it. */
export function exportedRow(n: number, rowsPerDay: number, padding = 0): readonly string[] {
  return numberedRow(n, rowsPerDay, padding).map((cell) => (cell.startsWith("=") ? `'${cell}` : cell));
}

/** Rows `from` to `to` as the file has them. */
export function exportedRows(from: number, to: number, rowsPerDay: number, padding = 0): (readonly string[])[] {
  return Array.from({ length: to - from + 1 }, (_, i) => exportedRow(from + i, rowsPerDay, padding));
}

async function blockHash(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>("SELECT to_regclass('numbered_block')::text AS name");
  if (!rows[0]?.name) return "0x00";
  return (await client.query<{ hash: string }>("SELECT hash FROM numbered_block")).rows[0]?.hash ?? "";
}
