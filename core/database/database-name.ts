import { parseDatabaseUrl, schemaIn } from "../config/connection-settings.ts";

/** Host, port, database and schema of a URL, for operators: it has neither the user nor the password. */
export function databaseName(url: string): string {
  const { hostname, port, pathname, searchParams } = parseDatabaseUrl(url);
  const host = searchParams.get("host") ?? hostname;
  const schema = schemaIn(url);
  return `${host}:${port || "5432"}${decodeURIComponent(pathname)}${schema === null || schema === "public" ? "" : ` (schema ${schema})`}`;
}
