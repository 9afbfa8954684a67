import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { chainRules } from "../../../indexer/evm/decode/chain-rules.ts";
import { createEvmSource } from "../../../indexer/evm/fetch/source.ts";
import { appendEntries } from "../../../indexer/evm/raw-blocks/entries.ts";
import { appendTraces, traceEntry } from "../../../indexer/evm/raw-blocks/raw-traces.ts";
import { rawBlockEntry } from "../../../indexer/evm/raw-blocks/stored-blocks.ts";
import { replayRawBlocks } from "../../../indexer/evm/replay/replay.ts";
import { createPartitions } from "../../../indexer/evm/store/tables.ts";
import { createNodeClient } from "../../../indexer/shared/node/node-client.ts";
import { tryBecomeWriter, type Writer } from "../../../indexer/shared/writer.ts";
import type { TestDatabase } from "../database/database.ts";
import { results, type ScriptedCall, startScriptedNode } from "../node/scripted-node.ts";
import type { NodeBlock } from "../recorded/node-chain.ts";

/** External data: every 500th of 100,000 blocks of an L1 of mainnet, as its node answered. Not part of the project. */
const FILE = new URL("../../../../shared/fixtures/external/l1-evm/blocks.jsonl.gz", import.meta.url);
const isHere = existsSync(FILE);

/** The L1 as the oracle of facts takes it. */
export const EXTERNAL_L1 = { chainId: 88, messengers: [], wrappedNativeTokens: [] };

/** Describes tests over the blocks of the external L1. They are skipped if its data is not beside the repository. */
export function describeExternalL1(text: string, tests: () => void): void {
  if (isHere) describe(text, tests);
  else describe.skip(`${text} (skipped: shared/fixtures/external/l1-evm is not beside the repository)`, tests);
}

export function readExternalL1(): NodeBlock[] {
  const lines = gunzipSync(readFileSync(FILE)).toString().split("\n").filter(Boolean);
  return lines.map((line): NodeBlock => JSON.parse(line));
}

/**
 * Reads these blocks one by one from a node that has no other blocks, stores them in the raw blocks, and computes their
 * rows. The steps are those of the indexer, which itself accepts only consecutive blocks. Returns the last block of each database
 * transaction that wrote rows.
 */
export async function indexExternalL1(database: TestDatabase, blocks: readonly NodeBlock[]): Promise<number[]> {
  const chainId = String(EXTERNAL_L1.chainId);
  await using writer = (await tryBecomeWriter(database.url, chainId)) as Writer;
  await createPartitions(writer, chainId);
  await using node = await startNode(blocks);
  await using client = createNodeClient({
    url: node.url,
    headers: {},
    requestTimeoutMs: 15_000,
    maxConcurrency: 4,
    maxBatchSize: 20,
    signal: new AbortController().signal,
  });
  const source = createEvmSource(client, "on");
  for (const [i, { block }] of blocks.entries()) {
    const raw = await source.tracedBlock(Number(block.number));
    const hash = raw.block.hash.slice(2);
    const parentHash = raw.block.parentHash.slice(2);
    const place = { number: Number(block.number), hash, parentHash };
    const entry = await rawBlockEntry(raw, place, i + 1);
    const traces = await traceEntry(place, raw.traces);
    await writer.transaction(async (session) => {
      await appendEntries(session, chainId, [entry]);
      await appendTraces(session, chainId, [traces]);
    });
  }
  const heads: number[] = [];
  const rules = chainRules({ chainId: EXTERNAL_L1.chainId });
  await replayRawBlocks({ writer, rules, onHead: ({ blockNumber }) => void heads.push(blockNumber) });
  return heads;
}

async function startNode(blocks: readonly NodeBlock[]) {
  const byNumber = new Map(blocks.map((one) => [one.block.number as string, one]));
  const ANSWERS: Readonly<Record<string, (block: NodeBlock | undefined) => unknown>> = {
    eth_getBlockByNumber: (one) => one?.block,
    eth_getBlockReceipts: (one) => one?.receipts,
    debug_traceBlockByNumber: (one) => one?.traces,
  };
  const resultOf = ({ method, params }: ScriptedCall) => ANSWERS[method]?.(byNumber.get(String(params[0]))) ?? null;
  return startScriptedNode((calls) => ({ body: results(calls, resultOf) }));
}
