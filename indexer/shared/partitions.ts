import type { Session, Writer } from "./writer.ts";

/** Name of the table with the rows of one chain or network. */
export function partitionOf(table: string, id: number | string): string {
  return `${table}_${id}`;
}

const MISSING = "SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL";

/**
 * Creates the missing partitions of one chain or network, in one transaction. Neither readers nor writers of other partitions wait for it;
 * only the creation of other partitions of the same tables does.
 */
export async function createPartitionsOf(
  { transaction }: Pick<Writer, "transaction">,
  tables: readonly string[],
  id: number | string,
): Promise<void> {
  const missing = await transaction((session) => missingOf(session, tables, id));
  if (missing.length === 0) return;
  await transaction(
    async (session) => {
      // Another session may create them, too. This is the lock that `ATTACH PARTITION` needs, taken by all sessions in the same order.
      await session.query(
        `LOCK TABLE ${missing.map((table) => `ONLY ${table}`).join(", ")} IN SHARE UPDATE EXCLUSIVE MODE`,
      );
      const created = await missingOf(session, missing, id);
      await Promise.all(created.flatMap((table) => creationOf(table, id)).map((text) => session.query(text)));
    },
    // If the server crashes, all that was written into the partitions is lost with them.
    { relaxed: true },
  );
}

/** The tables without the partition, in alphabetical order. */
async function missingOf(session: Session, tables: readonly string[], id: number | string): Promise<string[]> {
  const names = tables.map((table) => partitionOf(table, id));
  const missing = new Set((await session.query<{ name: string }>(MISSING, [names])).map(({ name }) => name));
  return tables.filter((table) => missing.has(partitionOf(table, id))).sort();
}

/** `PARTITION OF` would lock the whole table against readers. `ATTACH PARTITION` creates the indexes. */
function creationOf(table: string, id: number | string): string[] {
  const name = partitionOf(table, id);
  return [
    `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`,
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES IN (${id})`,
  ];
}
