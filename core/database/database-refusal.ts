import { messageOf } from "../errors/errors.ts";
import { isOutage } from "../errors/outage.ts";

export const DATABASE_SETTING = "setting databaseUrl (environment variable DATABASE_URL)";

const CERTIFICATE =
  "add the file of its authority, ?sslmode=verify-full&sslrootcert=/path/to/ca.pem, or sslmode=no-verify, which encrypts without checking the server";

/** Remedies for the operator, by the code of PostgreSQL or Node.js, or its first characters. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: string])[] = [
  [
    /^28000/,
    "let this user log in to this database (pg_hba.conf), or add ?sslmode=verify-full or ?sslmode=no-verify if the server requires TLS",
  ],
  [/^28/, "correct the user and password in it, or let this user log in"],
  [/^3D000/, "create the database, or correct its name in the URL"],
  [/^(42501|3F000)/, "grant this user the rights to create and change tables in the database"],
  [/^25006/, "name the primary server, or make the database writable"],
  [/^53300/, "raise max_connections of the server, or lower the setting databasePoolSize"],
  [/^NO_TLS/, "remove sslmode from the URL, or write ?sslmode=disable: this server accepts no TLS"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, "name the host as its certificate does, or use sslmode=no-verify"],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, CERTIFICATE],
  [/^(ERR_SSL|EPROTO)/, "check that TLS is on at this port, or write ?sslmode=disable"],
  [/^(ENOENT|EACCES)/, "correct the directory of the Unix socket and the port, as in ?host=/var/run/postgresql"],
  [/^NO_PASSWORD/, "add the password, as in postgresql://user:password@host:5432/moraine"],
  [
    /^PARAMETER/,
    "remove the parameter options from the URL (and PGOPTIONS): the connection pooler does not pass it on",
  ],
  [/^NOT_POSTGRES/, "correct the host and port in the URL: no PostgreSQL server answers there"],
];

/** A coordinator of Citus cannot log in to a worker, or the worker is down. The error has the code of a lost connection. */
const OF_WORKER = /^connection to the remote node \S+ failed/;

/** The server has no space or memory. This may be the embedded one, which no setting names. */
const IS_FULL = /^(53100|53200|ENOSPC)/;

/** Codes of errors that the driver reports as text only. */
const CODE_BY_TEXT: readonly (readonly [text: RegExp, code: string])[] = [
  [/does not support SSL connections/, "NO_TLS"],
  [/client password must be a string/, "NO_PASSWORD"],
  [/unsupported startup parameter/, "PARAMETER"],
  [/received invalid response|Invalid message|unexpected message/i, "NOT_POSTGRES"],
];

/**
 * One line for the operator if an error means that the database of a setting cannot be used: what is wrong, the
 * setting, and the remedy. Null for any other error.
 */
export function databaseRefusal(error: unknown, setting = DATABASE_SETTING): string | null {
  const code = codeOf(error);
  // The message of such an error quotes the URL, which contains the password.
  if (code === "ERR_INVALID_URL")
    return `${setting} must be a URL such as postgresql://user:password@host:5432/moraine`;
  const reason = messageOf(error).split("\n", 1)[0] || code;
  if (IS_FULL.test(code))
    return `the database cannot be used (${reason}): free space or memory on the machine of the database server, then start again`;
  if (OF_WORKER.test(reason))
    return `the database cannot be used (${reason}): start this worker of Citus, or let the coordinator and the other workers log in to it (docs/operate/citus.md)`;
  const remedy = REMEDIES.find(([pattern]) => pattern.test(code))?.[1];
  if (remedy) return `the database cannot be used (${reason}): ${setting}: ${remedy}`;
  if (!isOutage(error)) return null;
  return `the database cannot be reached (${reason}): ${setting}: start the server, or correct the host and port in the URL`;
}

function codeOf(error: unknown): string {
  const text = messageOf(error);
  const byText = CODE_BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
  const { code, syscall } = Object(error) as { readonly code?: unknown; readonly syscall?: unknown };
  // A file that is missing is no matter of the database, unless it is a Unix socket.
  if ((code === "ENOENT" || code === "EACCES") && syscall !== "connect") return "";
  const isCode = typeof code === "string" && /^([0-9A-Z]{5}|[A-Z][A-Z_]+)$/.test(code);
  // PgBouncer gives all its errors one code.
  return isCode && code !== "08P01" ? code : (byText ?? "");
}
