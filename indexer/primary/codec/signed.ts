import { sha256 } from "./hashes.ts";
import { type Layout, type Read, versions } from "./layout.ts";

/** The codec version, the first two bytes of everything that has an id. */
export const VERSION = Buffer.alloc(2);

/** A transaction with its id: the SHA-256 of the codec version and all its bytes, credentials included. */
export function signed<Transaction extends object>(
  layout: Layout<Transaction>,
): Layout<Transaction & { readonly id: string }> {
  return {
    minBytes: layout.minBytes,
    read(reader) {
      const start = reader.at();
      const transaction = layout.read(reader);
      return Object.assign(transaction, { id: sha256(VERSION, reader.since(start)) });
    },
  };
}

/** A value behind the only codec version that it has. */
export function versionZero<Value>(layout: Layout<Value>): Layout<Value> {
  return versions({ 0: layout });
}
export type { Read };
