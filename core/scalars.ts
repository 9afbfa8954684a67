import { GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { checksumAddress, isEvmAddress } from "./address.ts";
import { Failure, quoted } from "./errors.ts";

function literal(node: ValueNode): unknown {
  return node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : undefined;
}

function scalar(
  name: string,
  description: string,
  serialize: (value: unknown) => unknown,
  parse: (value: unknown) => string,
): GraphQLScalarType<string, unknown> {
  return new GraphQLScalarType<string, unknown>({
    name,
    description,
    serialize,
    parseValue: parse,
    parseLiteral: (node) => parse(literal(node)),
  });
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

function parseAddress(value: unknown): string {
  if (typeof value === "string" && isEvmAddress(value)) return value.toLowerCase();
  throw new Failure("INVALID_PARAMETER", `must be 0x and 40 hex digits, got ${quoted(value)}`);
}

function parseHash(value: unknown): string {
  if (typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new Failure("INVALID_PARAMETER", `must be 0x and 64 hex digits, got ${quoted(value)}`);
}

function timestampOf(value: unknown): number {
  const seconds = Number(value);
  if (Number.isSafeInteger(seconds)) return seconds;
  throw new TypeError(`not a timestamp: ${quoted(String(value))}`);
}

/** Amounts, block numbers, gas: a decimal string of a non-negative integer of up to 78 digits; callers may also send a JSON integer. */
export const Quantity = scalar("Quantity", "A non-negative integer as a decimal string.", decimalOf, parseQuantity);

/** As `Quantity`, but it may be below zero. Never read from callers. */
export const SignedQuantity = scalar(
  "SignedQuantity",
  "An integer as a decimal string, with a minus where it is below zero.",
  decimalOf,
  () => {
    throw new Failure("INVALID_PARAMETER", "integers of this type are not accepted here");
  },
);

/** Seconds since the epoch, as a JSON integer. */
export const Timestamp = scalar("Timestamp", "Seconds since the epoch, as a JSON integer.", timestampOf, parseQuantity);

/** An EVM address: EIP-55 casing when written, any casing when read (then lower case). */
export const Address = scalar(
  "Address",
  "An EVM address: `0x` and 40 hex digits, in EIP-55 casing.",
  (value) => checksumAddress(hexOf(value)),
  parseAddress,
);

/** A 32-byte hash: `0x` and 64 lower-case hex digits. */
export const Hash = scalar("Hash", "32 bytes as `0x` and 64 hex digits.", hexOf, parseHash);

/** Bytes of any length as `0x` hex. Never read from callers. */
export const Hex = scalar("Hex", "Bytes as `0x` and hex digits.", hexOf, () => {
  throw new Failure("INVALID_PARAMETER", "bytes are not accepted here");
});

/** An integer as a JSON number; beyond 2^53 the nearest that a double holds. Never read from callers. */
export const Integer = scalar("Integer", "An integer as a JSON number, of up to 53 bits.", Number, () => {
  throw new Failure("INVALID_PARAMETER", "integers of this type are not accepted here");
});
