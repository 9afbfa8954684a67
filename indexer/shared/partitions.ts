import type { Session, Writer } from "./writer.ts";

/** Name of the table with the rows of one chain or network. */
export function partitionOf(table: string, id: number | string): string {
  return `${table}_${id}`;
}

const MISSING = "SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL";

/**
 * Creates the missing partitions of one chain or network. Each has a transaction of its own, so that the partitions of others are created
 * meanwhile. Neither readers nor writers of the other partitions wait.
 */
export async function createPartitionsOf(
  { transaction }: Pick<Writer, "transaction">,
  tables: readonly string[],
  id: number | string,
): Promise<void> {
  const missing = await transaction((session) => missingOf(session, tables, id));
  for (const table of tables.filter((name) => missing.has(partitionOf(name, id))))
    await transaction(
      async (session) => {
        // Another session may create it, too. This is the lock that `ATTACH PARTITION` needs.
        await session.query(`LOCK TABLE ONLY ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
        if ((await missingOf(session, [table], id)).size > 0) await createPartition(session, table, id);
      },
      // If the server crashes, all that was written into the partition is lost with it.
      { relaxed: true },
    );
}

async function missingOf(session: Session, tables: readonly string[], id: number | string): Promise<Set<string>> {
  const names = tables.map((table) => partitionOf(table, id));
  return new Set((await session.query<{ name: string }>(MISSING, [names])).map(({ name }) => name));
}

/** `PARTITION OF` would lock the whole table against readers. `ATTACH PARTITION` creates the indexes. */
async function createPartition(session: Session, table: string, id: number | string): Promise<void> {
  const name = partitionOf(table, id);
  await session.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`);
  await session.query(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES IN (${id})`);
}
