import { parseDatabaseUrl, schemaIn } from "../config/connection-settings.ts";

/** Host and port of a URL. The host of a Unix socket is its directory. */
export function serverName(url: string): string {
  const { hostname, port, searchParams } = parseDatabaseUrl(url);
  return `${searchParams.get("host") ?? (hostname || "localhost")}:${port || "5432"}`;
}

/** Host, port, database and schema of a URL, for operators: it has neither the user nor the password. */
export function databaseName(url: string): string {
  const schema = schemaIn(url);
  return `${serverName(url)}${decodeURIComponent(parseDatabaseUrl(url).pathname)}${schema === null || schema === "public" ? "" : ` (schema ${schema})`}`;
}
