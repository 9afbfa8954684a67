import { sha256 } from "./hashes.ts";
import type { Layout } from "./layout.ts";

const VERSION = Buffer.alloc(2);

/** What a signed transaction is beside its members. */
export interface Signed {
  /** SHA-256 of the codec version (0) and all its bytes, credentials included. */
  readonly id: string;
  /** Length in bytes, codec version and credentials included. */
  readonly size: number;
}

/** A transaction with its id and size. */
export function signed<Transaction extends object>(layout: Layout<Transaction>): Layout<Transaction & Signed> {
  return {
    minBytes: layout.minBytes,
    read(reader) {
      const start = reader.at;
      const transaction = layout.read(reader);
      const size = VERSION.byteLength + reader.at - start;
      return Object.assign(transaction, { id: sha256(VERSION, reader.bytes.subarray(start, reader.at)), size });
    },
  };
}
