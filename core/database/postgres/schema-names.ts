/**
 * Names that PostgreSQL shares between all schemas of a database. Each schema can have a Moraine of its own, so its name is a part of them,
 * except that of the schema `public`.
 */

/** Longest name of a schema: PostgreSQL's names have at most 63 bytes, and the names below begin with others. */
export const MAX_SCHEMA_BYTES = 40;

const QUEUE = "graphile_worker";

/** The schema that has the tables of the job queue. */
export function queueSchemaOf(schema: string): string {
  return schema === "public" ? QUEUE : `${QUEUE}_${schema}`;
}

/** SQL of the name of a notification channel. */
export function channelName(name: string): string {
  return `'${name}' || CASE current_schema() WHEN 'public' THEN '' ELSE '.' || current_schema()::text END`;
}

/** SQL of the key of an advisory lock. `key` is the SQL of a number. */
export function lockKey(key: string): string {
  return `((${key}) # CASE current_schema() WHEN 'public' THEN 0 ELSE hashtextextended(current_schema()::text, 0) END)`;
}

/** The same for a lock with a name. `name` is the SQL of a text. */
export function namedLockKey(name: string): string {
  return lockKey(`hashtextextended(${name}, 0)`);
}
