import type pg from "pg";

/** Makes the records of a migrated database those of a version before the first release: it applied other migrations. */
export async function beforeReleases(pool: pg.Pool): Promise<void> {
  await pool.query("DELETE FROM _prisma_migrations");
  for (const name of ["20261121000000_init", "20261121000001_rate_limit"])
    await pool.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, 'x', $1, now())",
      [name],
    );
}
