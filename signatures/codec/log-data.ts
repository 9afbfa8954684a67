import { MalformedMessage } from "./malformed-message.ts";

/** First topic of the `SendWarpMessage` event, in hex, and the precompile that emits it (ACP-30). */
export const SEND_WARP_MESSAGE = "56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d";
export const WARP_PRECOMPILE = "0200000000000000000000000000000000000005";

const WORD_BYTES = 32;
/** The offset of the bytes, the first word of the data. */
const OFFSET = Buffer.alloc(WORD_BYTES).fill(WORD_BYTES, WORD_BYTES - 1);

/** The bytes of a message that a caller gave either as they are, or as the data of a `SendWarpMessage` log. */
export function messageBytesOf(bytes: Uint8Array): Uint8Array {
  return isLogData(bytes) ? parseLogData(bytes) : bytes;
}

/** True if bytes begin as log data. No message does, because its network id would be 0. */
function isLogData(bytes: Uint8Array): boolean {
  return OFFSET.equals(bytes.subarray(0, WORD_BYTES));
}

/** The message in the data of a `SendWarpMessage` log: the ABI encoding of one `bytes` value. Throws `MalformedMessage`. */
export function parseLogData(bytes: Uint8Array): Uint8Array {
  if (!isLogData(bytes)) throw new MalformedMessage("log data must begin with the offset 32 as a word of 32 bytes");
  const length = lengthIn(bytes.subarray(WORD_BYTES, 2 * WORD_BYTES));
  const content = bytes.subarray(2 * WORD_BYTES);
  const paddedLength = Math.ceil(length / WORD_BYTES) * WORD_BYTES;
  if (content.length !== paddedLength)
    throw new MalformedMessage(
      `log data must have ${paddedLength} bytes after its length, which is ${length}, got ${content.length}`,
    );
  if (content.subarray(length).some((byte) => byte !== 0))
    throw new MalformedMessage("log data must be padded with zeros after the message");
  return content.subarray(0, length);
}

function lengthIn(word: Uint8Array): number {
  if (word.length < WORD_BYTES)
    throw new MalformedMessage(`the length in log data must be a word of 32 bytes, got ${word.length}`);
  const length = BigInt(`0x${Buffer.from(word).toString("hex")}`);
  if (length > Number.MAX_SAFE_INTEGER) throw new MalformedMessage(`the length in log data is too large: ${length}`);
  return Number(length);
}
