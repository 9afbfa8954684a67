import { sha256 } from "./hashes.ts";
import type { Layout } from "./layout.ts";

const VERSION = Buffer.alloc(2);

/** A transaction with its id: the SHA-256 of the codec version (0) and all its bytes, credentials included. */
export function signed<Transaction extends object>(
  layout: Layout<Transaction>,
): Layout<Transaction & { readonly id: string }> {
  return {
    minBytes: layout.minBytes,
    read(reader) {
      const start = reader.at;
      const transaction = layout.read(reader);
      return Object.assign(transaction, { id: sha256(VERSION, reader.bytes.subarray(start, reader.at)) });
    },
  };
}
