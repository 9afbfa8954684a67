import { z } from "zod";
import { messageOf, quoted } from "../../errors/errors.ts";
import { connectionSettings, parseDatabaseUrl } from "../connection-settings.ts";
import { SECRET } from "./fields.ts";

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];
const EXAMPLE = "postgresql://user:password@host:5432/moraine";
const SOCKET_EXAMPLE = "postgresql://user:password@localhost/moraine?host=/var/run/postgresql";
const ENCODED =
  "%40 for @, %3A for :, %2F for /, %3F for ?, %23 for #, %25 for %, %5B for [, %5D for ], %20 for a space";

/** A connection URL of PostgreSQL. The errors name the form that works, and nothing of the URL that may be a secret. */
export const databaseUrl = z
  .string()
  .superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ ...SECRET, format: "uri" });

function problemOf(text: string): string | null {
  if (/^(socket:|\/)/.test(text)) return `must name a Unix socket as in ${SOCKET_EXAMPLE}`;
  if (!/^postgres(ql)?:\/\//.test(text)) return `must be a URL that begins with postgresql://, such as ${EXAMPLE}`;
  if (hasUnencoded(text))
    return `has a character in its user or password that must be percent-encoded: ${ENCODED}; the form is ${EXAMPLE}`;
  if (hasSeveralHosts(text))
    return "names several hosts, and Moraine connects to one: name the primary server, or a name or proxy that leads to it";
  if (!isParsed(text)) return `must be a URL such as ${EXAMPLE}; a port is a number from 0 to 65535`;
  return tlsProblemOf(parseDatabaseUrl(text)) ?? fileProblemOf(text);
}

/**
 * What follows `//` up to the path, the query or the fragment, and the rest. A character of a password that is not encoded ends it early.
 */
function partsOf(text: string): { readonly authority: string; readonly rest: string } {
  const [, authority = "", rest = ""] = /^\w+:\/\/([^/?#]*)([\s\S]*)$/.exec(text) ?? [];
  return { authority, rest };
}

/** After a `/` or `?` that is not encoded, the rest of the password and its `@` are taken for the path or the query. */
function hasUnencoded(text: string): boolean {
  const { authority, rest } = partsOf(text);
  const isCut = /^[^?]*@/.test(rest) || /[?&][^=&]*@/.test(rest);
  return text.includes("#") || /%(?![0-9a-f]{2})/i.test(authority) || isCut;
}

function hasSeveralHosts(text: string): boolean {
  const { authority, rest } = partsOf(text);
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  return hosts.includes(",") || /[?&]host=[^&]*(,|%2c)/i.test(rest);
}

function isParsed(text: string): boolean {
  try {
    parseDatabaseUrl(text);
    return true;
  } catch {
    return false;
  }
}

function tlsProblemOf({ searchParams }: URL): string | null {
  const mode = searchParams.get("sslmode");
  const ssl = searchParams.get("ssl");
  if (mode !== null && !SSL_MODES.includes(mode))
    return `has sslmode=${quoted(mode)}: must be one of ${SSL_MODES.join(", ")}`;
  if (ssl !== null && !["true", "1", "0", "no-verify"].includes(ssl))
    return `has ssl=${quoted(ssl)}: write sslmode=disable or sslmode=verify-full instead`;
  return null;
}

/** The files of certificates are read here, so that one that is missing is an error of the settings. */
function fileProblemOf(text: string): string | null {
  const { searchParams } = parseDatabaseUrl(text);
  const files = ["sslrootcert", "sslcert", "sslkey"].filter((name) => searchParams.get(name));
  try {
    connectionSettings(text);
    return null;
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    return files.length > 0
      ? `names files in ${files.join(", ")}, of which one cannot be read (${reason}); without sslrootcert, the authorities of Node.js are trusted`
      : `cannot be used (${reason}); the form is ${EXAMPLE}`;
  }
}
