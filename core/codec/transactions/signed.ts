import { sha256 } from "../bytes/hashes.ts";
import type { Layout } from "../bytes/layout.ts";

/** The codec version, which stands before each transaction that is hashed. */
export const VERSION = Buffer.alloc(2);

/** What a signed transaction is beside its members. */
export interface Signed {
  /** SHA-256 of the codec version (0) and all its bytes, credentials included. */
  readonly id: string;
  /** Length in bytes, codec version and credentials included. */
  readonly size: number;
  /** Its bytes behind the codec version, credentials included: a part of the bytes that were read. */
  readonly bytes: Uint8Array;
}

/** A transaction with its id and size. */
export function signed<Transaction extends object>(layout: Layout<Transaction>): Layout<Transaction & Signed> {
  return {
    minBytes: layout.minBytes,
    read(reader) {
      const start = reader.at;
      const transaction = layout.read(reader);
      const bytes = reader.bytes.subarray(start, reader.at);
      return Object.assign(transaction, {
        id: sha256(VERSION, bytes),
        size: VERSION.byteLength + bytes.byteLength,
        bytes,
      });
    },
  };
}
