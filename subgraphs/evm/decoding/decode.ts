import { type AbiValue, decodeExactly } from "../../../core/abi/abi-codec.ts";
import {
  type AbiEntry,
  type AbiParameter,
  canonicalType,
  elementOf,
  signatureOf,
} from "../../../core/abi/abi-entry.ts";
import { checksumAddress } from "../../../core/formats/address.ts";
import type { AbiSource, DecodedCall, DecodedEvent, DecodedEventParameter, DecodedParameter } from "./types.ts";

/** Characters of `0x` and a selector of four bytes. */
export const SELECTOR_LENGTH = 10;

/** The arguments of call data, or the parameters of an error, by an entry with its selector. Null if the data is not exactly such an encoding. */
export function decodeCall(entry: AbiEntry, data: string, abiSource: AbiSource): DecodedCall | null {
  const values = decodeExactly(entry.inputs, `0x${data.slice(SELECTOR_LENGTH)}`);
  if (values === null) return null;
  const parameters = entry.inputs.map((input, at) => decodedParameter(input, values[at] as AbiValue));
  return { name: entry.name, signature: signatureOf(entry), abiSource, parameters };
}

/** A log. Topics that it does not have are null. */
export interface LogData {
  readonly topic1: string | null;
  readonly topic2: string | null;
  readonly topic3: string | null;
  readonly data: string;
}

/** The parameters of a log by an entry with its first topic. Null if other parameters are indexed, or the data is not exactly an encoding. */
export function decodeEvent(entry: AbiEntry, log: LogData, abiSource: AbiSource): DecodedEvent | null {
  const topics = [log.topic1, log.topic2, log.topic3].filter((topic) => topic !== null);
  const indexed = entry.inputs.filter(({ isIndexed }) => isIndexed);
  const values = decodeExactly(
    entry.inputs.filter(({ isIndexed }) => !isIndexed),
    log.data,
  );
  if (indexed.length !== topics.length || values === null) return null;
  const waiting = { topics, values: [...values] };
  const parameters: DecodedEventParameter[] = [];
  for (const input of entry.inputs) {
    const parameter = input.isIndexed
      ? topicParameter(input, waiting.topics.shift() as string)
      : { ...decodedParameter(input, waiting.values.shift() as AbiValue), isIndexed: false, isHashed: false };
    if (parameter === null) return null;
    parameters.push(parameter);
  }
  return { name: entry.name, signature: signatureOf(entry), abiSource, parameters };
}

/** Types of which a topic has only the hash. */
const HASHED = /^(string|bytes|tuple.*|.*\])$/;

function topicParameter(input: AbiParameter, topic: string): DecodedEventParameter | null {
  if (HASHED.test(input.type)) return { ...described(input), value: topic, isIndexed: true, isHashed: true };
  const values = decodeExactly([input], topic);
  return values && { ...decodedParameter(input, values[0] as AbiValue), isIndexed: true, isHashed: false };
}

const described = (input: AbiParameter) => ({ name: input.name || null, type: canonicalType(input) });

const decodedParameter = (input: AbiParameter, value: AbiValue): DecodedParameter => ({
  ...described(input),
  value: shaped(input, value),
});

/** The value as callers see it; see `DecodedParameter.value`. */
function shaped(input: AbiParameter, value: AbiValue): unknown {
  if (!Array.isArray(value)) return input.type === "address" ? checksumAddress(value as string) : value;
  const element = elementOf(input);
  if (element) return value.map((item: AbiValue) => shaped(element, item));
  const { components } = input;
  const items = value.map((item: AbiValue, at) => shaped(components[at] as AbiParameter, item));
  const names = new Set(components.map(({ name }) => name));
  if (names.size !== components.length || names.has("")) return items;
  return Object.fromEntries(components.map(({ name }, at) => [name, items[at]]));
}

/** Meaning of the codes of `Panic(uint256)`, in the words that nodes use. */
const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "17": "arithmetic underflow or overflow",
  "18": "division or modulo by zero",
  "33": "enum overflow",
  "34": "invalid encoded storage byte array accessed",
  "49": "out-of-bounds array access; popping on an empty array",
  "50": "out-of-bounds access of an array or bytesN",
  "65": "out of memory",
  "81": "uninitialized function",
};

/** The text of an error that Solidity defines; null for other errors, and for an unknown code. */
export function messageOfError({
  signature,
  parameters,
}: Pick<DecodedCall, "signature" | "parameters">): string | null {
  const value = String(parameters[0]?.value);
  if (signature === "Error(string)") return value;
  return signature === "Panic(uint256)" ? (PANICS[value] ?? null) : null;
}
