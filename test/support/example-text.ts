import { checksumAddress } from "../../core/formats/address.ts";
import { parseAddress } from "../../core/formats/bech32.ts";
import { decodeCb58 } from "../../core/formats/cb58.ts";
import { parseNodeId } from "../../core/formats/id-text.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const METHOD = /^\w+\([\w,]*\)$/;
/** Names, symbols and constants: no digits. */
const WORDS = /^[A-Za-z]{1,32}([ _-][A-Za-z]+)*$/;

/** True for a date or a time in ISO 8601 that exists. */
function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.replace(/Z$/, ""));
}

/** True if a text of an example is what it looks like: an address or id with a right checksum, a time, hex, or words. */
export function isValidExample(text: string): boolean {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text === checksumAddress(text.toLowerCase());
  if (/^0x/.test(text)) return /^0x([0-9a-f]{64}|[0-9a-f]{2,20})$/.test(text) && text.length % 2 === 0;
  if (text.startsWith("NodeID-")) return parseNodeId(text) !== null;
  if (/^([PXC]-)?avax1/.test(text)) return parseAddress(text) !== null;
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return isTime(text);
  if (/^[0-9A-Za-z]{33,}$/.test(text)) return decodeCb58(text)?.length === 32;
  return UUID.test(text) || METHOD.test(text) || WORDS.test(text);
}
