import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { decodeBlock } from "../decode/block.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { type WireBlock, type WireReceipt } from "../wire/blocks.ts";
import { verifyBlock } from "./verify-block.ts";

/** A mutable copy that a test makes invalid. */
interface Spoilt {
  block: Record<string, unknown> & { transactions: Record<string, unknown>[] };
  receipts: (Record<string, unknown> & { logs: Record<string, unknown>[] })[];
}

const withLogs = (spoilt: Spoilt) => spoilt.receipts.find(({ logs }) => logs.length > 1) ?? spoilt.receipts[0];
const HASH = `0x${"ab".repeat(32)}`;

describe.each([
  ["executed before it is accepted", "alpha"],
  ["executed after it is accepted (ACP-194)", "streaming"],
] as const)("of a C-Chain that is %s", (_, name) => {
  const blocks = recordedBlocks(openRecording(recordingFolder(name)));
  const isLate = name === "streaming";
  /** The smallest block with several transactions, and several logs in one of them. */
  const [sample] = blocks
    .filter(({ block }) => (block.settledHeight !== undefined) === isLate)
    .filter(({ receipts }) => receipts.length > 2 && receipts.some(({ logs }) => logs.length > 1))
    .sort((one, other) => JSON.stringify(one).length - JSON.stringify(other).length);
  if (!sample) throw new Error("the recording has no such block");
  const { number } = sample;

  const copy = (): Spoilt => structuredClone({ block: sample.block, receipts: sample.receipts }) as unknown as Spoilt;

  function check({ block, receipts }: { block: unknown; receipts: unknown }): void {
    decodeBlock(chainRules({ chainId: 1 }), verifyBlock(number, block as WireBlock, receipts as WireReceipt[]), 0);
  }

  it("every recorded block is accepted", () => {
    for (const { number: at, block, receipts } of blocks)
      expect(verifyBlock(at, block, receipts)).toEqual({ block, receipts, traces: null });
  });

  describe("invalid data is refused with the block:", () => {
    it.each<[what: string, spoil: (spoilt: Spoilt) => unknown, reason: string]>([
      ["no block", (s) => Object.assign(s, { block: null }), "has no block"],
      ["another number", (s) => Object.assign(s.block, { number: "0x1" }), "returned block"],
      ["a hash of 31 bytes", (s) => Object.assign(s.block, { hash: HASH.slice(0, -2) }), "not 32 bytes"],
      ["no parent hash", (s) => delete s.block["parentHash"], "parentHash"],
      ["no transactions", (s) => Object.assign(s.block, { transactions: null }), "no list of transactions"],
      [
        "hashes of transactions only",
        (s) => Object.assign(s.block, { transactions: s.block.transactions.map(({ hash }) => hash) }),
        "not an object",
      ],
      ["no receipts", (s) => Object.assign(s, { receipts: null }), "no receipts"],
      ["a receipt too few", (s) => s.receipts.pop(), "receipts"],
      [
        "a receipt too many",
        (s) => s.receipts.push(structuredClone(s.receipts[0] as Spoilt["receipts"][0])),
        "receipts",
      ],
      ["a receipt of null", (s) => s.receipts.splice(1, 1, null as never), "not an object"],
      ["receipts in another order", (s) => s.receipts.reverse(), "expected"],
      [
        "a transaction too few, with its receipt",
        (s) => [s.block.transactions.shift(), s.receipts.shift()],
        "expected",
      ],
      [
        "a transaction of another block",
        (s) => Object.assign(s.block.transactions[1] as object, { blockHash: HASH }),
        "blockHash",
      ],
      ["a receipt of another block", (s) => Object.assign(s.receipts[1] as object, { blockHash: HASH }), "blockHash"],
      [
        "a receipt of another transaction",
        (s) => Object.assign(s.receipts[1] as object, { transactionHash: HASH }),
        "transactionHash",
      ],
      [
        "gas that does not add up",
        (s) => Object.assign(s.receipts[1] as object, { gasUsed: "0x1" }),
        "cumulativeGasUsed",
      ],
      [
        "gas that is no number",
        (s) => Object.assign(s.receipts[1] as object, { gasUsed: "many" }),
        "not a hex quantity",
      ],
      ["no list of logs", (s) => Object.assign(s.receipts[1] as object, { logs: null }), "no list of logs"],
      ["a log too few at the end", (s) => s.receipts.findLast(({ logs }) => logs.length > 0)?.logs.pop(), "logsBloom"],
      ["a log too few in the middle", (s) => withLogs(s)?.logs.shift(), "logIndex is"],
      ["a log twice", (s) => withLogs(s)?.logs.push(structuredClone(withLogs(s)?.logs[0] ?? {})), "logIndex is"],
      ["a log of null", (s) => withLogs(s)?.logs.splice(0, 1, null as never), "not an object"],
      ["a log of another block", (s) => Object.assign(withLogs(s)?.logs[0] ?? {}, { blockHash: HASH }), "blockHash"],
      [
        "a log of another transaction",
        (s) => Object.assign(withLogs(s)?.logs[0] ?? {}, { transactionHash: HASH }),
        "transactionHash",
      ],
      [
        "a log of another transaction's index",
        (s) => Object.assign(withLogs(s)?.logs[0] ?? {}, { transactionIndex: "0x63" }),
        "transactionIndex",
      ],
      ["a log that was removed", (s) => Object.assign(withLogs(s)?.logs[0] ?? {}, { removed: true }), "removed"],
      [
        "a log of another contract",
        (s) => Object.assign(withLogs(s)?.logs[0] ?? {}, { address: `0x${"11".repeat(20)}` }),
        "logsBloom",
      ],
      ["a log with another topic", (s) => Object.assign(withLogs(s)?.logs[0] ?? {}, { topics: [HASH] }), "logsBloom"],
      ["a log without topics", (s) => delete withLogs(s)?.logs[0]?.["topics"], "no list of topics"],
      [
        "a bloom of nothing",
        (s) => Object.assign((isLate ? withLogs(s) : s.block) ?? {}, { logsBloom: `0x${"0".repeat(512)}` }),
        "logsBloom",
      ],
      ["a time beyond 63 bits", (s) => Object.assign(s.block, { timestamp: "0x8000000000000000" }), "63 bits"],
      ["a size beyond 31 bits", (s) => Object.assign(s.block, { size: "0xffffffff" }), "31 bits"],
      ["a status of 2", (s) => Object.assign(s.receipts[0] as object, { status: "0x2" }), "1 bits"],
      [
        "a value beyond 256 bits",
        (s) => Object.assign(s.block.transactions[0] as object, { value: `0x1${"0".repeat(64)}` }),
        "not a hex quantity",
      ],
      [
        "a price beyond 256 bits",
        (s) => Object.assign(s.receipts[0] as object, { effectiveGasPrice: `0x1${"0".repeat(64)}` }),
        "not a hex quantity",
      ],
      ["an input of half a byte", (s) => Object.assign(s.block.transactions[0] as object, { input: "0x1" }), "in hex"],
      [
        "a sender of 19 bytes",
        (s) => Object.assign(s.block.transactions[0] as object, { from: `0x${"11".repeat(19)}` }),
        "not 20 bytes",
      ],
    ])("%s", (_what, spoil, reason) => {
      const spoilt = copy();
      spoil(spoilt);
      const refused = () => check(spoilt);
      expect(refused).toThrow(BadUpstreamData);
      expect(refused).toThrow(new RegExp(`block ${number}\\b`));
      expect(refused).toThrow(reason);
    });
  });

  it("a missing field or one of any other type is refused or ignored, and no other error is thrown", () => {
    const oddities: readonly unknown[] = [
      undefined,
      null,
      "",
      "0x",
      "0xzz",
      7,
      -1,
      {},
      [],
      [null],
      "0x1".padEnd(100, "0"),
      true,
      { toString: 1 },
    ];
    let refusals = 0;
    const spoilt = copy();
    for (const path of paths(spoilt)) {
      for (const oddity of oddities) {
        const before = exchange(spoilt, path, oddity);
        try {
          check(spoilt);
        } catch (error) {
          if (!(error instanceof BadUpstreamData))
            throw new Error(`${path.join(".")} as ${JSON.stringify(oddity)}: ${error}`);
          refusals++;
        }
        exchange(spoilt, path, before);
      }
    }
    expect(refusals).toBeGreaterThan(500);
  });
});

type Path = readonly (string | number)[];

/** Every field and element of the block and its receipts. */
function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => paths(inner, [...at, key]))].filter(
    ({ length }) => length > 0,
  );
}

/** Sets the value at a path, and returns the previous one. */
function exchange(target: unknown, path: Path, value: unknown): unknown {
  const holder = path.slice(0, -1).reduce<unknown>((now, key) => (now as Record<string, unknown>)[key], target);
  const members = holder as Record<string, unknown>;
  const key = path.at(-1) ?? "";
  const before = members[key];
  members[key] = value;
  return before;
}
