import type { ClientConfig } from "pg";
import { parseIntoClientConfig } from "pg-connection-string";

/** The schema of a database URL without `?schema=`. The start of a process replaces it by the one of the role's `search_path`. */
const DEFAULT_SCHEMA = "public";

/** How a database is reached, and the schema that has Moraine's tables. */
export interface ConnectionSettings {
  readonly connection: ClientConfig;
  readonly schema: string;
}

/**
 * The settings of a connection URL. Only those that say which server, database, account and schema are meant are read from it: all others
 * are Moraine's own. Throws `ERR_INVALID_URL`, or the error of a certificate file that cannot be read.
 */
export function connectionSettings(url: string): ConnectionSettings {
  const parsed = parseDatabaseUrl(url);
  const schema = schemaIn(url) ?? DEFAULT_SCHEMA;
  // pg checks certificates in the same way for these modes, and warns that another version will not.
  const mode = parsed.searchParams.get("sslmode") ?? "";
  const isCompatible = parsed.searchParams.get("uselibpqcompat") === "true";
  if (!isCompatible && CHECKING_MODES.has(mode)) parsed.searchParams.set("sslmode", "verify-full");
  const { host, port, user, password, database, ssl, options, ...others } = parseIntoClientConfig(parsed.href);
  const { sslnegotiation } = others as { readonly sslnegotiation?: string };
  const given = { host, port, user, password, database, ssl, sslnegotiation, options };
  return { connection: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), schema };
}

const CHECKING_MODES = new Set(["prefer", "require", "verify-ca"]);

/** Parses a connection URL, also one that has an account and no host, as URLs of Unix sockets may. */
export function parseDatabaseUrl(url: string): URL {
  return new URL(url.replace(/^([^/]*\/\/[^/]*@)\//, "$1localhost/"));
}

/** The schema that a connection URL names; null if it names none. */
export function schemaIn(url: string): string | null {
  return parseDatabaseUrl(url).searchParams.get("schema") || null;
}

/** The connection URL with this schema. */
export function withSchema(url: string, schema: string): string {
  const parsed = parseDatabaseUrl(url);
  parsed.searchParams.set("schema", schema);
  return parsed.href;
}
