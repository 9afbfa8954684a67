import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { verifyBlock } from "../fetch/verify-block.ts";
import type { WireBlock, WireReceipt } from "../wire/blocks.ts";
import { bloomOf } from "../wire/bloom.ts";
import { blockPayloads } from "./block-payload.ts";
import { createPayloadCodec } from "./payload.ts";

const blocks = recordedBlocks().map(({ block, receipts }) => ({ block, receipts }));
const [block] = blocks.filter(({ receipts }) => receipts.some(({ logs }) => logs.length > 0));
const bytes = (length: number): string => "0123456789abcdef".repeat(length).slice(0, 2 * length);
const STORED =
  "BwAAADRdXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXQARIjNEVWZ3iJmqu8zd7v8AESIzjZM9CgJBDIXnvWTQiT/I1GIxylY2gtextNXGwsPsBWy8gJeT7A4yIIgpA4G8L1/WT+RELwCEiKiAxNDRf374o3q9bRW2BdKs5oEu19sYtk4MmEYlHMEX0d9cmjTlUPbFUZzvbkg54RH7F7b5aMFgTBAsppqoJjNsQkS3hJA6z6YJahFd4ooTBOze";
const deflatedJson = createPayloadCodec("");

const withCharacter = (text: string, at: number, character: string): string =>
  text.slice(0, at) + character + text.slice(at + 1);

/** Texts that differ from `0x` and lower-case hex in their first, a middle or their last character. */
const almostHex = (hex: string): string[] =>
  [0, hex.length >> 1, hex.length - 1].flatMap((at) =>
    ["A", "g", "é"].map((other) => `0x${withCharacter(hex, at, other)}`),
  );

/** Payload and text of a block with a further field. */
async function roundTrip(field: unknown): Promise<unknown> {
  const payload = await blockPayloads.encode({ ...block, field });
  return ((await blockPayloads.decode(payload)) as { field: unknown }).field;
}

interface StoredBlock {
  readonly block: WireBlock;
  readonly receipts: readonly WireReceipt[];
}

/** A copy of a block, and how often the topics of its logs were read since the last call of `reads`. */
function withCountedReads(one: StoredBlock) {
  const copy = structuredClone(one);
  let count = 0;
  for (const log of copy.receipts.flatMap(({ logs }) => logs)) {
    const { topics } = log;
    const get = () => {
      count++;
      return topics;
    };
    Object.defineProperty(log, "topics", { get, enumerable: true });
  }
  const reads = () => {
    const before = count;
    count = 0;
    return before;
  };
  return { copy, reads };
}

describe("payloads of blocks", () => {
  it("decode to the text that the node returned, with its fields in their order", async () => {
    for (const one of blocks) {
      const decoded = await blockPayloads.decode(await blockPayloads.encode(one));
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(one));
    }
  });

  it.each([
    ["no value, numbers and booleans", [null, 0, -1.5, 1e300, true, false]],
    ["other texts", ["", "\u0000\ud800é🏔", "0x", "0X12", "0xAB", "0x1", "0x12g", "x".repeat(1 << 16)]],
    ["quantities", ["0x0", "0x00", "0x5d21dba00", "0x5d21dba00", `0x${"f".repeat(63)}`, `0x${"f".repeat(65)}`]],
    ["words", [0, 1, 11, 12, 13, 15, 16, 31, 32].map((zeros) => `0x${"00".repeat(zeros)}${bytes(32 - zeros)}`)],
    ["data", [33, 36, 64, 68, 96, 100, 132].map((length) => `0x${bytes(length)}`)],
    ["data of zeros", [32, 36, 64, 68, 256].map((length) => `0x${"00".repeat(length)}`)],
    ["repeated texts", ["0x0123456789", "other text", "0x0123456789", "other text", "other text", "0x0123456789"]],
    ["nested arrays and objects", [[], [[]], {}, { a: [{ b: 1 }, { b: 2 }, { c: 3 }, {}] }, { "": { a: [] } }]],
    [
      "addresses",
      [bytes(20), "ab".repeat(20), `${"00".repeat(4)}${bytes(16)}`, "00".repeat(20)].map((hex) => `0x${hex}`),
    ],
    ["almost hex", [bytes(20), bytes(32), "00".repeat(32), bytes(33), bytes(36), bytes(64)].flatMap(almostHex)],
    ["texts that differ in one character", Array.from(bytes(32), (_, at) => `0x${withCharacter(bytes(32), at, "e")}`)],
    [
      "more texts than the first tables have room for",
      Array.from({ length: 5_000 }, (_, i) => `text number ${i % 4_000}`),
    ],
    [
      "more fields than the first tables have room for",
      Array.from({ length: 400 }, (_, i) => ({ [`field ${i}`]: [i] })),
    ],
    ["field names of objects", [{ constructor: 1, toString: "2", 7: 3, b: 4, a: 5 }]],
  ])("decode to the same value with %s", async (_, values) => {
    expect(JSON.stringify(await roundTrip(values))).toBe(JSON.stringify(values));
  });

  it("keep a field that is called __proto__", async () => {
    const values = JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":2}]}') as unknown;
    expect(JSON.stringify(await roundTrip(values))).toBe(JSON.stringify(values));
  });

  it("keep blooms that do not follow from the logs", async () => {
    const other = bloomOf([{ address: `0x${bytes(20)}`, topics: [] }]);
    const [receipt, ...receipts] = block?.receipts ?? [];
    const values = [
      { ...block, block: { ...block?.block, logsBloom: other } },
      { ...block, block: { ...block?.block, logsBloom: "" } },
      { ...block, receipts: [{ ...receipt, logsBloom: other }, ...receipts] },
      { ...block, receipts: [{ ...receipt, logsBloom: "" }, ...receipts] },
      { ...block, receipts: [{ ...receipt, logsBloom: undefined }, ...receipts] },
    ];
    for (const value of values)
      expect(JSON.stringify(await blockPayloads.decode(await blockPayloads.encode(value)))).toBe(JSON.stringify(value));
  });

  it("of blocks whose blooms were checked when they arrived are made without computing the blooms again", async () => {
    const logs = block?.receipts.flatMap((receipt) => receipt.logs).length ?? 0;
    const unchecked = withCountedReads(block as StoredBlock);
    await blockPayloads.encode(unchecked.copy);
    const { copy, reads } = withCountedReads(block as StoredBlock);
    const { traces: _none, ...checked } = verifyBlock(Number(copy.block.number), copy.block, copy.receipts);
    reads();
    await blockPayloads.encode(checked);
    expect(logs).toBeGreaterThan(0);
    expect(reads()).toBe(unchecked.reads() - logs);
  });

  it("that are stored can be decoded, because their codes, known texts and dictionary must not change", async () => {
    const address = "0x00112233445566778899aabbccddeeff00112233";
    const word = `0x${address.slice(2).padStart(64, "0")}`;
    const topics = ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", word];
    const logs = [{ address, topics, data: `0x${"1234".padStart(64, "0")}`, removed: false }];
    const hash = `0x${"5d".repeat(32)}`;
    const transactions = [
      { hash, to: null, input: `0xa9059cbb${word.slice(2)}` },
      { hash, to: address, input: "0x123" },
    ];
    const logsBloom = bloomOf(logs);
    const expected = {
      block: { number: "0x1", hash, size: 1, logsBloom, transactions, note: "text" },
      receipts: [{ logs, logsBloom }],
    };
    expect(await blockPayloads.decode(Buffer.from(STORED, "base64"))).toEqual(expected);
  });

  it("of an unknown format are refused", async () => {
    await expect(blockPayloads.decode(Buffer.from("gxY3oJY7UnUOKohQi3gA", "base64"))).rejects.toThrow(
      "format is unknown",
    );
  });

  it("are smaller than two thirds of deflated JSON", async () => {
    const sizeOf = async (codec: typeof deflatedJson) =>
      Buffer.concat(await Promise.all(blocks.map((one) => codec.encode(one)))).length;
    expect(await sizeOf(blockPayloads)).toBeLessThan((2 / 3) * (await sizeOf(deflatedJson)));
  });

  it.each([500, 10_000, 200_000])("with %d levels are refused as invalid data of the node", async (levels) => {
    const field: unknown = JSON.parse("[".repeat(levels) + "]".repeat(levels));
    await expect(blockPayloads.encode({ ...block, field })).rejects.toBeInstanceOf(BadUpstreamData);
  });

  it("with the most levels that are accepted can be read again", async () => {
    const deep = { ...block, field: JSON.parse("[".repeat(495) + "]".repeat(495)) as unknown };
    expect(await blockPayloads.decode(await blockPayloads.encode(deep))).toEqual(deep);
  });

  it("that are damaged are refused", async () => {
    const payload = await blockPayloads.encode(block);
    for (const end of [3, 5, 40, payload.length - 3])
      await expect(blockPayloads.decode(payload.subarray(0, end))).rejects.toThrow();
  });
});
