import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { describeExternalL1, readExternalL1 } from "../../../test/support/indexed/external-l1.ts";
import type { WireBlock, WireReceipt } from "../wire/blocks.ts";
import { verifyRoots } from "./block-roots.ts";
import { trieRoot } from "./trie-root.ts";

/** The answers of a recorded node to a method. */
function recorded<Result>(file: string, method: string): Result[] {
  const path = fileURLToPath(new URL(`../../../recordings/${file}.jsonl.gz`, import.meta.url));
  const lines = gunzipSync(readFileSync(path)).toString().split("\n").filter(Boolean);
  const calls = lines.map((line) => JSON.parse(line) as { readonly method: string; readonly result?: Result | null });
  return calls.flatMap((call) => (call.method === method && call.result ? [call.result] : []));
}

/** The blocks of a recording with their receipts. */
function blocksOf(folder: string): { block: WireBlock; receipts: WireReceipt[] }[] {
  const receipts = new Map(
    recorded<WireReceipt[]>(`${folder}-receipts`, "eth_getBlockReceipts").map((list) => [list[0]?.blockHash, list]),
  );
  const blocks = recorded<WireBlock>(`${folder}-blocks`, "eth_getBlockByNumber");
  const whole = blocks.filter(({ transactions }) => transactions.every((one) => typeof one === "object"));
  return whole.map((block) => ({ block, receipts: receipts.get(block.hash) ?? [] }));
}

describeExternalL1("201 blocks of a real L1", () => {
  it("have headers that cover their transactions and receipts", () => {
    const blocks = readExternalL1();
    expect(blocks).toHaveLength(201);
    for (const { block, receipts } of blocks)
      expect(() =>
        verifyRoots(block as unknown as WireBlock, receipts as unknown as readonly WireReceipt[]),
      ).not.toThrow();
  });
});

describe("the header of a block covers its transactions and receipts", () => {
  it.each([
    ["alpha/c", true],
    ["alpha/l1", true],
    ["gamma/c", true],
    ["delta/c", true],
    ["helicon/c", false],
  ])("in all blocks of %s (with transactions: %s)", (folder, hasTransactions) => {
    const blocks = blocksOf(folder);
    expect(blocks.length).toBeGreaterThan(10);
    expect(blocks.some(({ block }) => block.transactions.length > 0)).toBe(hasTransactions);
    for (const { block, receipts } of blocks) expect(() => verifyRoots(block, receipts)).not.toThrow();
  });

  it("so another value of a transaction, and another log, are refused", () => {
    const blocks = blocksOf("alpha/c");
    const { block, receipts } = blocks.find(
      ({ receipts: list }) => (list[0]?.logs.length ?? 0) > 0,
    ) as (typeof blocks)[0];
    const [transaction, ...others] = block.transactions;
    const changed = { ...block, transactions: [{ ...transaction, value: "0x7" }, ...others] } as WireBlock;
    expect(() => verifyRoots(changed, receipts)).toThrow(BadUpstreamData);
    expect(() => verifyRoots(changed, receipts)).toThrow(
      /^transactionsRoot of block \d+, computed from its transactions, is/,
    );
    const [receipt, ...rest] = receipts as [WireReceipt, ...WireReceipt[]];
    const [log, ...logs] = receipt.logs;
    const forged = { ...receipt, logs: [{ ...log, data: "0x07" }, ...logs] } as WireReceipt;
    expect(() => verifyRoots(block, [forged, ...rest])).toThrow(
      /^receiptsRoot of block \d+, computed from its receipts, is/,
    );
    const unknown = { ...block, transactions: [{ ...transaction, type: "0x7e" }, ...others] } as WireBlock;
    expect(() => verifyRoots(unknown, receipts)).toThrow(
      /the type of transaction 0 of block \d+ is 126, which this version/,
    );
  });

  it("the root of no values is that of the empty trie", () => {
    expect(trieRoot([])).toBe("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
  });
});
