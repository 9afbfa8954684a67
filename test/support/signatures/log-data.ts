const WORD_BYTES = 32;

/** The data of the log with which a chain publishes a message: the ABI encoding of one `bytes` value. */
export function encodeLogData(message: Uint8Array): Uint8Array {
  const head = Buffer.alloc(2 * WORD_BYTES);
  head.writeUInt32BE(WORD_BYTES, WORD_BYTES - 4);
  head.writeUInt32BE(message.length, 2 * WORD_BYTES - 4);
  return Buffer.concat([head, message, Buffer.alloc(-message.length & (WORD_BYTES - 1))]);
}
