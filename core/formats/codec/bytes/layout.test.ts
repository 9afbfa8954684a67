import {
  decodeAtomicTransaction,
  decodePTransaction,
  decodeXTransaction,
} from "../../../../test/support/codec/decode-transactions.ts";
import { decodePBlock } from "../blocks/p-blocks.ts";
import { decodeProposerBlock } from "../blocks/proposer-blocks.ts";
import { decodeXBlock } from "../blocks/x-blocks.ts";
import {
  bool,
  constant,
  decode,
  hexBytes,
  id,
  integer,
  type Layout,
  list,
  oneOf,
  sized,
  sizedNodeId,
  struct,
  text,
  u8,
  u32,
  u64,
  versions,
} from "./layout.ts";

const bytes = (hex: string): Uint8Array => Buffer.from(hex, "hex");

describe("bytes with a layout", () => {
  it.each<[string, Layout<unknown>, string, unknown]>([
    ["the largest byte", u8, "ff", 255],
    ["the largest of 4 bytes", u32, "ffffffff", 2 ** 32 - 1],
    ["the largest of 8 bytes", u64, "ffffffffffffffff", 2n ** 64n - 1n],
    ["the largest number that JavaScript counts exactly", integer, "001fffffffffffff", Number.MAX_SAFE_INTEGER],
    ["text", text, "0003e282ac", "€"],
    ["a list in a list", list(list(u8)), "00000002000000020102" + "00000000", [[1, 2], []]],
    ["one of several", oneOf({ 1: u8, 7: constant("none") }), "00000007", "none"],
  ])("may be %s", (_, layout, hex, value) => {
    expect(decode(layout, bytes(hex), "thing")).toEqual(value);
  });

  it.each<[string, Layout<unknown>, string, string]>([
    ["bytes left over", u8, "0100", "thing at byte 1: 1 bytes left over"],
    ["too few bytes", u64, "01", "thing at byte 0: 8 bytes expected, 1 left"],
    ["a short id", id, "00".repeat(31), "thing at byte 0: 32 bytes expected, 31 left"],
    ["too large a number", integer, "0020000000000000", "thing at byte 0: 9007199254740992 is too large"],
    ["no text", text, "0002c328", "thing at byte 2: not UTF-8"],
    ["text that ends early", text, "000561", "thing at byte 2: 5 bytes expected, 1 left"],
    ["not a boolean", bool, "02", "thing at byte 0: 2 is not a boolean"],
    ["bytes that end early", hexBytes, "ffffffff00", "thing at byte 4: 4294967295 bytes expected, 1 left"],
    [
      "a node id of another length",
      sizedNodeId,
      `00000013${"00".repeat(20)}`,
      "at byte 0: a node id must have 20 bytes, got 19",
    ],
    [
      "a value shorter than its length",
      sized(u8),
      "0000000201",
      "thing at byte 4: length prefix is 2, but the value has 1 bytes",
    ],
    [
      "a value longer than its length",
      sized(u32),
      "0000000100000000",
      "thing at byte 4: length prefix is 1, but the value has 4 bytes",
    ],
    ["an unknown type", oneOf({ 1: u8, 7: u8 }), "0000000200", "thing at byte 0: type id 2, not 1 or 7"],
    ["an unknown version", versions({ 0: u8 }), "000100", "thing at byte 0: codec version 1, not 0"],
    [
      "more elements than there can be",
      list(u32),
      `ffffffff${"00".repeat(8)}`,
      "thing at byte 0: 4294967295 elements of at least 4 bytes expected, 8 bytes left",
    ] as const,
    [
      "one element more than there can be",
      list(struct({ of: id, at: u32 })),
      `00000002${"00".repeat(71)}`,
      "thing at byte 0: 2 elements of at least 36 bytes expected, 71 bytes left",
    ] as const,
    [
      "something wrong deep inside",
      struct({ all: list(struct({ yes: bool })) }),
      "00000003010005",
      "thing, all.2.yes at byte 6: 5 is not a boolean",
    ] as const,
  ])("are refused if they are %s, with the offset and the field's name", (_, layout, hex, problem) => {
    expect(() => decode(layout, bytes(hex), "thing")).toThrow(problem);
  });

  it("cannot be a list of elements without bytes, whose count would have no limit", () => {
    expect(() => list(constant(1))).toThrow("the elements of a list must take at least one byte");
  });
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("type ids", () => {
  it.each<[string, (bytes: Uint8Array) => unknown, readonly number[]]>([
    ["a P-Chain block", decodePBlock, [...range(0, 4), ...range(29, 32)]],
    ["a P-Chain transaction", decodePTransaction, [...range(12, 20), ...range(23, 26), ...range(33, 42)]],
    ["an X-Chain block", decodeXBlock, [20]],
    ["an X-Chain transaction", decodeXTransaction, range(0, 4)],
    ["a C-Chain atomic transaction", decodeAtomicTransaction, [0, 1]],
    ["a ProposerVM wrapper", decodeProposerBlock, [0, 1, 2]],
  ])("of %s are exactly the known ones", (_, decodeIt, known) => {
    const problem = (type: number): string => {
      try {
        decodeIt(bytes(`0000${type.toString(16).padStart(8, "0")}`));
      } catch (error) {
        return String(error);
      }
      return "";
    };
    const read = range(0, 100).filter((type) => !problem(type).includes(` at byte 2: type id ${type}, not `));
    expect(read).toEqual(known);
    for (const type of known) expect(problem(type)).toMatch(/ at byte 6: \d+ bytes expected, 0 left$/);
  });
});
