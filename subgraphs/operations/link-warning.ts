import type { Config } from "../../core/config/config-schema.ts";

const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::", "0:0:0:0:0:0:0:0"]);

/**
 * Explains why callers cannot use download links: a server that listens on all addresses does not know its own. Null if the
 * settings are sufficient.
 */
export function linkWarning({ host, exports }: Pick<Config, "host" | "exports">): string | null {
  if (!WILDCARDS.has(host) || exports.publicUrl !== undefined || exports.s3) return null;
  return `download links of exports do not work: they contain the host ${host}; set exports.publicUrl (environment variable EXPORTS_PUBLIC_URL) to the URL at which callers reach the process that serves the files`;
}
