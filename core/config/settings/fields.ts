import { z } from "zod";
import { isEvmAddress } from "../../formats/address.ts";
import { parseId } from "../../formats/cb58.ts";

/** Metadata of a setting that is or may contain a secret, such as a key or a password: its value is never printed. */
export const SECRET = { writeOnly: true } as const;

export const port = z.number().int().min(0).max(65_535);
/** It may contain a password, or a key in its path or query. */
export const url = z
  .url({ protocol: /^https?$/, error: "must be a URL that begins with http:// or https://" })
  .meta(SECRET);
export const positive = z.number().int().min(1);
export const milliseconds = z.number().int().min(1);
export const headers = z.record(z.string(), z.string()).meta(SECRET);
export const filePath = z.string().min(1);
export const evmAddress = z.string().refine(isEvmAddress, "must be 0x and 40 hex digits");

/** A 32-byte id, kept as CB58. */
export const id = z
  .string()
  .refine((text) => parseId(text) !== null, "must be a 32-byte id, as CB58 or hex")
  .transform((text) => parseId(text) as string);

/** URL of an avalanchego node, without the path of an API or of a chain. */
export const nodeBaseUrl = url
  .refine(
    (text) => !/\/ext(\/|$)/.test(text),
    "must be the node's base URL without the path of an API, such as http://127.0.0.1:9650",
  )
  .meta(SECRET);

/** A graph and its variant in Apollo GraphOS. */
export const graphRef = z
  .string()
  .regex(/^[^@]+@[^@]+$/, "must be a graph and a variant, such as my-graph@current")
  .describe("Graph and variant, such as `my-graph@current`.");

/** True if `keyOf` returns a different value for each entry. */
export function areDistinct<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry, index: number) => unknown,
): boolean {
  return new Set(entries.map(keyOf)).size === entries.length;
}
