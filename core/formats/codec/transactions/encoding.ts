import { sha256 } from "../bytes/hashes.ts";
import type { Layout } from "../bytes/layout.ts";

/** Codec version 0, which the hash of a transaction covers. */
export const VERSION = Buffer.alloc(2);

/** Members that `withEncoding` adds to a decoded transaction. */
export interface TransactionEncoding {
  /** SHA-256 of codec version and bytes, including the credentials. */
  readonly id: string;
  /** Length in bytes, including codec version and credentials. */
  readonly size: number;
  /** Bytes without the codec version, including the credentials, as a view of the input. */
  readonly bytes: Uint8Array;
}

/** Adds id, size and bytes to a decoded transaction. */
export function withEncoding<Transaction extends object>(
  layout: Layout<Transaction>,
): Layout<Transaction & TransactionEncoding> {
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
