import { type Hex, toHex, toRlp } from "viem";
import { decodeContainer } from "../../../core/formats/codec/blocks/proposer-blocks.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import {
  containersOf,
  describeAllRecordings,
  factsOf,
  resultsIn,
} from "../../../test/support/recorded/primary-vectors.ts";
import { decodeCBlock } from "./c-blocks.ts";

interface BlockJson {
  readonly hash: string;
  readonly parentHash: string;
  readonly number: string;
  readonly timestamp: string;
  readonly size: string;
  readonly blockExtraData: string;
  readonly transactions: readonly { readonly hash: string }[];
}

describeAllRecordings("C-Chain blocks", (folder) => {
  it("E15 in the container index equal the blocks of the chain's own API", () => {
    const inside = containersOf(folder, "index-c-block").map(({ bytes }) => decodeContainer(bytes));
    const given = new Map(
      resultsIn(folder, "c-blocks", "eth_getBlockByNumber").map(({ text }) => {
        const block = JSON.parse(text) as BlockJson;
        return [Number(block.number), block] as const;
      }),
    );
    expect(inside).toHaveLength(factsOf(folder).heights.c);
    for (const [index, { block }] of inside.entries()) {
      const { hash, parentHash, number, timestamp, size, transactionHashes, extraData } = decodeCBlock(block);
      const json = given.get(index + 1) as BlockJson;
      expect({ hash: `0x${hash}`, parentHash: `0x${parentHash}`, blockExtraData: toHex(extraData) }).toEqual({
        hash: json.hash,
        parentHash: json.parentHash,
        blockExtraData: json.blockExtraData,
      });
      expect([number, timestamp, size]).toEqual([json.number, json.timestamp, json.size].map(Number));
      expect(transactionHashes.map((one) => `0x${one}`)).toEqual(json.transactions.map((one) => one.hash));
    }
  });

  it("have the block's hash as container id before the first ProposerVM wrapper", () => {
    for (const { id, bytes } of containersOf(folder, "index-c-block")) {
      const { proposer, block } = decodeContainer(bytes);
      if (!proposer) expect(formatId(decodeCBlock(block).hash)).toBe(id);
    }
  });
});

const NO_UNCLES: Hex[] = [];
const EMPTY_DATA_HASH = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const HEADER: readonly Hex[] = [
  fill(32, 1),
  fill(32, 2),
  fill(20, 3),
  fill(32, 4),
  fill(32, 5),
  fill(32, 6),
  fill(256, 7),
  ...(["0x01", "0x0100", "0x7a1200", "0x", "0x5fcb13d0", "0x", fill(32, 8), fill(8, 0), EMPTY_DATA_HASH] as Hex[]),
];
const LEGACY: readonly Hex[] = ["0x", "0x", "0x", fill(20, 9), "0x", "0x", "0x1b", fill(32, 10), fill(32, 11)];

describe("a C-Chain block", () => {
  const block = (parts: { header?: readonly Hex[]; txs?: Item[]; uncles?: Item[]; version?: Hex; data?: Hex } = {}) =>
    rlp([
      parts.header ?? HEADER,
      parts.txs ?? [],
      parts.uncles ?? NO_UNCLES,
      parts.version ?? "0x",
      parts.data ?? "0x",
    ]);
  const changed = (at: number, field: Hex) => block({ header: HEADER.with(at, field) });

  it("may have additional header fields of later forks", () => {
    expect(decodeCBlock(block())).toMatchObject({ number: 256, timestamp: 0x5fcb13d0, transactionHashes: [] });
    expect(decodeCBlock(block({ header: [...HEADER, "0x05", "0x", "0x"] })).number).toBe(256);
  });

  it.each<[string, Uint8Array, string]>([
    ["nothing", Buffer.alloc(0), "C-Chain block at byte 0: 1 bytes expected, 0 left"],
    ["a string", rlp("0x1234"), "C-Chain block at byte 0: a string, not a list"],
    ["too few fields", block({ header: HEADER.slice(0, -1) }), "C-Chain block, header.extraDataHash at byte"],
    ["a list among the later fields", rlp([[...HEADER, []], [], [], "0x", "0x"]), "a list, not a string"],
    ["a short hash", changed(0, fill(31, 1)), "C-Chain block, header.parentHash at byte 6: 31 bytes, not 32"],
    ["a number with a zero before it", changed(8, "0x0001"), "header.number at byte 453: a number with leading zeros"],
    ["a large number", changed(8, fill(7, 1)), "header.number at byte 453: a number of 7 bytes"],
    ["uncles", block({ uncles: [[...HEADER]] }), "C-Chain block, uncles at byte"],
    ["another version", block({ version: "0x01" }), "version 1, not 0"],
    [
      "other extra data",
      block({ data: "0x1234" }),
      "extraData at byte 544: its hash is not 56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421, the extra data hash in the header",
    ],
    [
      "a transaction of no bytes",
      block({ txs: ["0x"] }),
      "transactions.0 at byte 542: transaction type 0, not 1 to 127",
    ],
    [
      "a transaction of a type above 127",
      block({ txs: [[...LEGACY], "0x8001"] }),
      "transaction type 128, not 1 to 127",
    ],
    ["a sixth part", rlp([HEADER, [], [], "0x", "0x", "0x"]), "the list ends at byte"],
    ["bytes left over", Buffer.concat([block(), Buffer.alloc(1)]), "1 bytes left over"],
  ])("is refused if it is or has %s", (_, bytes, problem) => {
    expect(() => decodeCBlock(bytes)).toThrow(problem);
  });

  it.each<[string, string, string]>([
    ["a byte behind a length", "c3810102", "at byte 1: a single byte with an unnecessary length"],
    ["a short length in a byte of its own", "c3b801ff", "at byte 2: a length of 1 in the long form"],
    ["a length that starts with zeros", "f90001c0", "at byte 1: a number with leading zeros"],
    ["a length of seven bytes", "fe01000000000000", "at byte 1: a number of 7 bytes"],
    ["a length beyond the end", "fb7fffffff", "at byte 0: an item of 2147483647 bytes, 0 bytes left"],
  ])("is refused if its RLP has %s", (_, hex, problem) => {
    expect(() => decodeCBlock(Buffer.from(hex, "hex"))).toThrow(problem);
  });
});

type Item = Hex | readonly Item[];

function fill(length: number, byte: number): Hex {
  return toHex(new Uint8Array(length).fill(byte));
}

function rlp(item: Item): Uint8Array {
  return toRlp(item as Hex, "bytes");
}
