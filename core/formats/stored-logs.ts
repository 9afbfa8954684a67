import { FREQUENT_EVENTS } from "./frequent-events.ts";

/**
 * Topics and data of logs as the columns of `evm_logs` store them. Most topics and most data are one word of 32 bytes with an address, an
 * amount or a number, which begins with zeros. The columns do not store these zeros. The first topic is the hash of the signature of an
 * event: that of a frequent event is stored as one byte. A topic that a log does not have is empty and not NULL, because a row without NULL
 * is 8 bytes smaller. All values are hex without `0x`.
 */

/** Digits of a word. */
const WORD = 64;
const ZEROS = "0".repeat(WORD);
const LEADING_ZEROS = /^(?:00)+/;

const withoutZeros = (hex: string): string => (hex.startsWith("00") ? hex.replace(LEADING_ZEROS, "") : hex);

const EVENTS = FREQUENT_EVENTS.map(([, topic]) => topic);
const CODES = new Map(EVENTS.map((topic, code) => [topic, code.toString(16).padStart(2, "0")]));

/** The stored form of the first topic of a log; undefined if the log has none. */
export const storedEvent = (topic: string | undefined): string => (topic && CODES.get(topic)) ?? topic ?? "";

/** The first topic of a log from its stored form; null if the log has none. */
export function eventOf(stored: string): string | null {
  if (stored.length === 0) return null;
  return stored.length === 2 ? (EVENTS[Number.parseInt(stored, 16)] ?? stored) : stored;
}

/** The stored form of another topic; undefined if the log does not have it. A topic has at least one byte. */
export const storedTopic = (topic: string | undefined): string =>
  topic === undefined ? "" : withoutZeros(topic) || "00";

/** A topic other than the first one from its stored form; null if the log does not have it. */
export const topicOf = (stored: string): string | null => (stored.length === 0 ? null : stored.padStart(WORD, "0"));

/**
 * The stored form of data. A word has at least one byte, so that it differs from empty data. Data that does not consist of whole words
 * follows a word of zeros, so that it is not taken for a word.
 */
export function storedData(data: string): string {
  if (data.length === WORD) return withoutZeros(data) || "00";
  return data.length % WORD === 0 ? data : ZEROS + data;
}

/** Data from its stored form. */
export function dataOf(stored: string): string {
  if (stored.length === 0) return "";
  if (stored.length <= WORD) return stored.padStart(WORD, "0");
  return stored.length % WORD === 0 ? stored : stored.slice(WORD);
}
