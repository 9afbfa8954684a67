import type pg from "pg";

/** Makes a migrated database one of a version before the first release, which applied other migrations and had other columns. */
export async function beforeReleases(pool: pg.Pool): Promise<void> {
  await pool.query("DELETE FROM _prisma_migrations");
  await pool.query("ALTER TABLE primary_heads RENAME raw_seq TO journal_seq");
  for (const name of ["20261121000000_init", "20261121000001_rate_limit"])
    await pool.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ($1, 'x', $1, now())",
      [name],
    );
}
