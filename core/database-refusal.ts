import { isOutage } from "./database.ts";
import { messageOf } from "./errors.ts";

const SETTING = "setting databaseUrl (environment variable DATABASE_URL)";

/** Remedies for the operator, by PostgreSQL's error code or its first characters. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [/^28/, "correct the user and password in it, or let this user log in"],
  [/^3D000/, "create the database, or correct its name in the URL"],
  [/^42501/, "grant this user the rights to create and change tables in the database"],
  [/^25006/, "name the primary server, or make the database writable"],
  [/^(53100|53200|ENOSPC)/, "free space or memory on the machine of the database server, then start again"],
  [/^53300/, "raise max_connections of the server, or lower the setting databasePoolSize"],
];

/** PostgreSQL's codes of errors that Prisma's schema engine reports as text only. */
const CODE_BY_TEXT: readonly (readonly [text: RegExp, code: string])[] = [
  [/read-only transaction/i, "25006"],
  [/No space left on device|could not extend file/i, "53100"],
  [/permission denied|must be owner/i, "42501"],
];

/**
 * One line for the operator if an error means that the database of the setting `databaseUrl` cannot be used: what is wrong, the
 * setting, and the remedy. Null for any other error.
 */
export function databaseRefusal(error: unknown): string | null {
  const code = codeOf(error);
  // The message of such an error quotes the URL, which contains the password.
  if (code === "ERR_INVALID_URL")
    return `${SETTING} must be a URL such as postgresql://user:password@host:5432/moraine`;
  const reason = messageOf(error).split("\n", 1)[0] || code;
  const remedy = REMEDIES.find(([pattern]) => pattern.test(code))?.[1];
  if (remedy) return `the database cannot be used (${reason}): ${SETTING}: ${remedy}`;
  if (!isOutage(error)) return null;
  return `the database cannot be reached (${reason}): ${SETTING}: start the server, or correct the host and port in the URL`;
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  const isDatabaseCode = typeof code === "string" && /^([0-9A-Z]{5}|E[A-Z_]+)$/.test(code);
  if (isDatabaseCode) return code;
  return CODE_BY_TEXT.find(([text]) => text.test(messageOf(error)))?.[1] ?? "";
}
