import { from } from "ox/Abi";
import { decode, encode } from "ox/AbiParameters";
import { type AbiEntry, type AbiParameter, elementOf, parseAbi } from "./abi-entry.ts";

/** The entries of declarations in Solidity, such as `event Transfer(address indexed from, address indexed to, uint256 value)`. */
export const parseDeclarations = (declarations: readonly string[]): AbiEntry[] => parseAbi(from(declarations));

/** A decoded value: an integer is decimal text, bytes are `0x` hex, and an address is lower-case `0x` hex. */
export type AbiValue = string | boolean | readonly AbiValue[];

/** Longer data is not decoded. */
const MAX_HEX_LENGTH = 2 + 2 * 32_768;

/**
 * The values of parameters in ABI-encoded data (`0x` hex). Null if the data is not exactly what encoding the values gives, or longer than
 * 32,768 bytes. The values of a tuple are a list.
 */
export function decodeExactly(parameters: readonly AbiParameter[], data: string): readonly AbiValue[] | null {
  if (data.length > MAX_HEX_LENGTH) return null;
  const types = parameters.map(libraryType);
  try {
    // It stops data that refers to the same bytes again and again.
    const values = decode(types, data as `0x${string}`) as unknown[];
    return encode(types, values) === data ? values.map((value, at) => textOf(parameters[at], value)) : null;
  } catch {
    // The library throws errors of many classes for data that is no encoding.
    return null;
  }
}

interface LibraryType {
  readonly type: string;
  readonly components: readonly LibraryType[];
}

/**
 * A parameter as the library gets it. It has no names, because the library makes objects of tuples with names, and two of them may be the
 * same. A string is bytes, which are encoded in the same way, because the library leaves out zeros at the start of a string.
 */
const libraryType = ({ type, components }: AbiParameter): LibraryType => ({
  type: type.replace(/^string/, "bytes"),
  components: components.map(libraryType),
});

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws if a string is not UTF-8. */
function textOf(parameter: AbiParameter | undefined, value: unknown): AbiValue {
  if (Array.isArray(value)) {
    const element = parameter && elementOf(parameter);
    return value.map((item, at) => textOf(element ?? parameter?.components[at], item));
  }
  if (parameter?.type === "string") return UTF_8.decode(Buffer.from(String(value).slice(2), "hex"));
  return typeof value === "boolean" ? value : String(value);
}
