import { GraphQLScalarType, Kind, print, type ValueNode, valueFromASTUntyped } from "graphql";
import { Failure, quoted } from "../errors/errors.ts";
import { checksumAddress, isEvmAddress } from "../formats/address.ts";

/** The text of a string or a number; the value of every other literal, which no scalar accepts and error messages show. */
function literal(node: ValueNode): unknown {
  if (node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT) return node.value;
  return valueFromASTUntyped(node);
}

/** What `serialize` makes of decimal text or hex, if it is known without a call: the same text, or its number. */
export type SerializedText = "same" | "number";

/** See `SerializedText`; undefined if only a call of `serialize` shows it. */
export function serializedText({ extensions }: Pick<GraphQLScalarType, "extensions">): SerializedText | undefined {
  return extensions["serializedText"] as SerializedText | undefined; // only `scalar` below sets it
}

interface ScalarOptions {
  readonly name: string;
  readonly description: string;
  /** Public specification of the text or number, for `@specifiedBy`. The description says which part of it is used. */
  readonly specifiedBy: string;
  readonly serialize: (value: unknown) => unknown;
  readonly serializedText?: SerializedText;
  readonly parse: (value: unknown) => string;
}

function scalar({ name, description, specifiedBy, serialize, serializedText, parse }: ScalarOptions) {
  return new GraphQLScalarType<string, unknown>({
    name,
    description,
    specifiedByURL: specifiedBy,
    extensions: { serializedText },
    serialize,
    parseValue: parse,
    parseLiteral: (node) => parse(literal(node)),
  });
}

function refuse(message: string) {
  return (): never => {
    throw new Failure("INVALID_PARAMETER", message);
  };
}

function hexOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array)
    return `0x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
  throw new TypeError(`not bytes: ${quoted(value)}`);
}

function decimalOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  // Prisma's Decimal prints exponents above 1e21 unless asked not to.
  if (typeof value === "object" && value !== null && "toFixed" in value)
    return (value as { toFixed(): string }).toFixed();
  throw new TypeError(`not an integer: ${quoted(value)}`);
}

function parseQuantity(value: unknown): string {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && /^\d{1,78}$/.test(text)) return BigInt(text).toString();
  const isTooLong = typeof text === "string" && /^\d+$/.test(text);
  const rule = isTooLong ? "must have at most 78 digits" : "must be a non-negative integer";
  throw new Failure("INVALID_PARAMETER", `${rule}, got ${quoted(value)}`);
}

function parsePercentage(value: unknown, shown = quoted(value)): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100) return Number(value);
  throw new Failure("INVALID_PARAMETER", `must be an integer from 0 to 100, got ${shown}`);
}

function parseAddress(value: unknown): string {
  if (typeof value === "string" && isEvmAddress(value)) return value.toLowerCase();
  throw new Failure("INVALID_PARAMETER", `must be 0x and 40 hex digits, got ${quoted(value)}`);
}

function parseHash(value: unknown): string {
  if (typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new Failure("INVALID_PARAMETER", `must be 0x and 64 hex digits, got ${quoted(value)}`);
}

function parseSelector(value: unknown): string {
  if (typeof value === "string" && /^0x[0-9a-f]{8}$/i.test(value)) return value.toLowerCase();
  throw new Failure("INVALID_PARAMETER", `must be 0x and 8 hex digits, got ${quoted(value)}`);
}

function integerOf(value: unknown): number {
  const integer = Number(value);
  if (Number.isSafeInteger(integer)) return integer;
  throw new TypeError(`not an integer below 2^53: ${quoted(String(value))}`);
}

const ETHEREUM_HEX = "https://ethereum.org/developers/docs/apis/json-rpc/#unformatted-data-encoding";

/** An amount, a block number or gas: decimal text of 1 to 78 digits. Callers may also send a JSON integer. */
export const Quantity = scalar({
  name: "Quantity",
  description: "A non-negative integer as a decimal string of up to 78 digits. A JSON integer is accepted as input.",
  specifiedBy: "https://www.w3.org/TR/xmlschema11-2/#nonNegativeInteger",
  serialize: decimalOf,
  serializedText: "same",
  parse: parseQuantity,
});

/** Like `Quantity`, but may be negative. Output only. */
export const SignedQuantity = scalar({
  name: "SignedQuantity",
  description: "An integer as a decimal string, with a leading minus sign if it is negative.",
  specifiedBy: "https://www.w3.org/TR/xmlschema11-2/#integer",
  serialize: decimalOf,
  serializedText: "same",
  parse: refuse("integers of this type are not accepted here"),
});

/** Seconds since the epoch: a JSON integer as output, decimal text once parsed. */
export const Timestamp = scalar({
  name: "Timestamp",
  description: "Seconds since the Unix epoch, as a JSON integer.",
  specifiedBy: "https://www.rfc-editor.org/rfc/rfc7519#section-2",
  serialize: integerOf,
  serializedText: "number",
  parse: parseQuantity,
});

/** An integer from 0 to 100. Input only. */
export const Percentage = new GraphQLScalarType<number, unknown>({
  name: "Percentage",
  description: "An integer from 0 to 100.",
  specifiedByURL: "https://www.w3.org/TR/xmlschema11-2/#nonNegativeInteger",
  serialize: Number,
  parseValue: (value) => parsePercentage(value),
  parseLiteral(node) {
    if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return parsePercentage(Number(node.value), node.value);
    return parsePercentage("value" in node ? node.value : null, print(node));
  },
});

/** An EVM address: in EIP-55 case as output; any case is accepted as input, which becomes lower case. */
export const Address = scalar({
  name: "Address",
  description: "An EVM address: `0x` and 40 hex digits. Output has the EIP-55 checksum; input may have any case.",
  specifiedBy: "https://eips.ethereum.org/EIPS/eip-55",
  serialize: (value) => checksumAddress(hexOf(value)),
  parse: parseAddress,
});

/** A 32-byte hash: `0x` and 64 hex digits, in lower case once parsed. */
export const Hash = scalar({
  name: "Hash",
  description: "32 bytes as `0x` and 64 hex digits.",
  specifiedBy: ETHEREUM_HEX,
  serialize: hexOf,
  serializedText: "same",
  parse: parseHash,
});

/** Bytes of any length as `0x` hex. Output only. */
export const Hex = scalar({
  name: "Hex",
  description: "Bytes as `0x` and two hex digits per byte.",
  specifiedBy: ETHEREUM_HEX,
  serialize: hexOf,
  serializedText: "same",
  parse: refuse("bytes are not accepted here"),
});

/** The first four bytes of the hash of a method's signature. Input only. */
export const Selector = scalar({
  name: "Selector",
  description:
    "Selector of a contract's method, as `0x` and 8 hex digits: the first four bytes of the hash of its signature.",
  specifiedBy: "https://docs.soliditylang.org/en/latest/abi-spec.html#function-selector",
  serialize: hexOf,
  serializedText: "same",
  parse: parseSelector,
});

/** An integer below 2^53 as a JSON number. Larger ones are refused, not rounded: their fields are `Quantity`. Output only. */
export const Integer = scalar({
  name: "Integer",
  description: "An integer as a JSON number. Its absolute value is less than 2^53, so no client rounds it.",
  specifiedBy: "https://www.rfc-editor.org/rfc/rfc8259#section-6",
  serialize: integerOf,
  serializedText: "number",
  parse: refuse("integers of this type are not accepted here"),
});
