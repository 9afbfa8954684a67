import { readFileSync } from "node:fs";
import { parse } from "graphql";
import { z } from "zod";
import { ConfigError } from "../../core/config/config.ts";
import { parseSettingsJson } from "../../core/config/settings/parse-json.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";

/** The only operations that callers may run. */
export interface OperationList {
  /** The document with an id; undefined if the list does not have it. */
  byId(id: string): string | undefined;
  has(document: string): boolean;
}

const manifest = z.object({
  format: z.literal("apollo-persisted-query-manifest"),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
});
const documentsById = z.record(z.string(), z.string());

/**
 * Reads the file of the setting `graphql.allowedOperationsFile`. Throws `ConfigError` if the file cannot be read or a document
 * cannot be parsed.
 */
export function readOperationList(path: string): OperationList {
  const setting = `setting graphql.allowedOperationsFile is ${quoted(path)}`;
  let documents: ReadonlyMap<string, string>;
  try {
    documents = parseOperationList(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ConfigError(`${setting}: ${messageOf(error)}`);
  }
  const texts = new Set(documents.values());
  return { byId: (id) => documents.get(id), has: (document) => texts.has(document) };
}

/** The documents of a list, by id. Throws an error if the text is no list or a document cannot be parsed. */
export function parseOperationList(text: string): ReadonlyMap<string, string> {
  const content = parseSettingsJson(text);
  const asManifest = manifest.safeParse(content);
  const asRecord = documentsById.safeParse(content);
  if (!asManifest.success && !asRecord.success)
    throw new Error("the file must contain an object of documents by id, or an apollo-persisted-query-manifest");
  const entries = asManifest.success
    ? asManifest.data.operations.map(({ id, body }) => [id, body] as const)
    : Object.entries(asRecord.data ?? {});
  for (const [id, document] of entries) parseDocument(id, document);
  return new Map(entries);
}

function parseDocument(id: string, document: string): void {
  try {
    parse(document);
  } catch (error) {
    throw new Error(`the document with the id ${quoted(id)} cannot be parsed: ${messageOf(error)}`);
  }
}
