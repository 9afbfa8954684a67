/** An encoder of chain data for tests, independent of the decoder of the product. Ids and addresses are hex. */
export type Part = Uint8Array;

export const u16 = (value: number): Part => number(2, BigInt(value));
export const u32 = (value: number): Part => number(4, BigInt(value));
export const u64 = (value: number | bigint): Part => number(8, BigInt(value));
export const hex = (digits: string): Part => Buffer.from(digits, "hex");
export const all = (...parts: readonly Part[]): Part => Buffer.concat(parts);
export const list = (parts: readonly Part[]): Part => all(u32(parts.length), ...parts);
export const sized = (part: Part): Part => all(u32(part.byteLength), part);
export const text = (value: string): Part => sized(Buffer.from(value));

function number(bytes: number, value: bigint): Part {
  return hex(value.toString(16).padStart(2 * bytes, "0"));
}

/** Codec version before a block, a vertex or the bytes that a transaction's id is the hash of. */
export const versioned = (part: Part, version = 0): Part => all(u16(version), part);
