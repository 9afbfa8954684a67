import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { type Clock, SYSTEM_CLOCK } from "../../shared/clock.ts";
import { goodOrThrow } from "../../shared/good-prefix.ts";
import { handledLater } from "../../shared/handled-later.ts";
import { isMissingMethod, NodeUnavailable, nullFromNode, RpcError, refusedByNode } from "../../shared/node/errors.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import { mapGoodBlocks } from "../batches.ts";
import { blockNumbers } from "../block-range.ts";
import { type RawBlock, type WireBlock, type WireReceipt } from "../wire/blocks.ts";
import { bytes, integer, isAbsent, object } from "../wire/values.ts";
import { createBlockReader, receiptList } from "./block-answers.ts";
import { type BlockAnswers, callTracer, hexNumber } from "./block-requests.ts";
import { createCallTraces, type TraceMode, type TraceRead, type Tracing } from "./call-traces.ts";
import { verifyBlock, verifyHeader } from "./verify-block.ts";

/** Number and hashes (hex without `0x`) of a block. */
export interface BlockRef {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Number of the last block that this block settles (ACP-194); null if the block settles itself. */
  readonly settledHeight: number | null;
}

/** One EVM chain, read from one node. */
export interface EvmSource {
  /** Whether the blocks have call trees; valid after `identify`. */
  readonly tracing: Tracing;
  /** Finds out what the node supports. Throws `TracesRefused` if call trees are required and the node has none. */
  identify(): Promise<void>;
  /** The EVM chain id that the node serves. */
  chainId(): Promise<number>;
  /** The node's latest block. */
  head(): Promise<BlockRef>;
  /** The node's block at a height; null if it says that it has none there: above its head, or pruned. */
  blockRef(number: number): Promise<BlockRef | null>;
  /**
   * Blocks `from` to `to`, both included, each verified by itself, or those before the first bad one. Throws `BadUpstreamData` or
   * `NodeUnavailable` if block `from` is bad.
   */
  blocks(from: number, to: number): Promise<readonly RawBlock[]>;
  /**
   * A block with its call trees, whatever the configured mode. Throws `TracesRefused` if the node refuses them, or if they contradict the
   * block.
   */
  tracedBlock(number: number): Promise<RawBlock>;
}

/**
 * Reads blocks with `eth_getBlockByNumber` and `eth_getBlockReceipts` (`eth_getTransactionReceipt` where that fails or does not fit the
 * block), and with `debug_traceBlockByNumber` unless `traceMode` is `off`.
 */
export function createEvmSource(
  node: NodeClient,
  traceMode: TraceMode,
  clock: Pick<Clock, "nowMs"> = SYSTEM_CLOCK,
): EvmSource {
  const callTraces = createCallTraces({ configured: traceMode, redact: node.redact, clock });
  const reader = createBlockReader(node, clock);
  const tracer = callTracer(node.requestTimeoutMs);

  async function withReceipts(answers: BlockAnswers): Promise<WireBlockWithReceipts> {
    const block = wireBlockOf(answers);
    const list = receiptList(answers);
    return { block, receipts: list ?? (await reader.singleReceipts(answers.number, block)), isList: list !== null };
  }

  /** Verifies a block. If the list of its receipts does not fit it, its receipts are read one by one. */
  async function verified(number: number, { block, receipts, isList }: WireBlockWithReceipts): Promise<RawBlock> {
    try {
      return verifyBlock(number, block, receipts);
    } catch (error) {
      if (!isList || !(error instanceof BadUpstreamData)) throw error;
      verifyHeader(number, block);
      return verifyBlock(number, block, await reader.singleReceipts(number, block));
    }
  }

  async function readBlocks(numbers: readonly number[], mode: TraceRead): Promise<readonly RawBlock[]> {
    const isTraced = callTraces.isRequested(mode);
    const answers = await reader.answers(numbers, isTraced ? tracer : null);
    // Receipts that are read one by one are requested for all blocks at once.
    const reading = answers.map((one) => ({ one, wire: handledLater(withReceipts(one)) }));
    const raws = await mapGoodBlocks(reading, async ({ one: { number, traces }, wire }) => {
      const raw = await verified(number, await wire);
      return isTraced ? callTraces.attach(raw, traces, mode) : raw;
    });
    if (!raws.failure) callTraces.succeeded();
    return goodOrThrow(raws);
  }

  return {
    get tracing() {
      return callTraces.tracing;
    },
    async identify() {
      if (traceMode === "off") return;
      const [answer] = await node.callAll([{ method: "debug_traceBlockByNumber", params: ["latest", tracer] }]);
      callTraces.identify(answer);
    },
    async chainId() {
      const text = await callOrWait(node, "eth_chainId", []);
      if (text === null) throw nullFromNode("eth_chainId");
      return integer(text, "eth_chainId");
    },
    async head() {
      const block = (await callOrWait(node, "eth_getBlockByNumber", ["latest", false])) as WireBlock | null;
      if (!block) throw new NodeUnavailable("the node has no latest block");
      return parseRef(block);
    },
    blockRef: (number) => readRef(node, number),
    blocks: (from, to) => readBlocks(blockNumbers({ from, to }), traceMode),
    async tracedBlock(number) {
      const [raw] = await readBlocks([number], "required");
      return raw as RawBlock;
    },
  };
}

/** Errors of nodes for a block above their head, and for one that they have deleted. Others answer null. */
const NO_BLOCK =
  /unfinalized|\b(unknown|missing) block\b|\bnot found\b|\bprun(ed|ing)\b|missing trie node|\bhistory\b/i;

/** A block as the node returns it, and its receipts; null for what the node lacks. */
interface WireBlockWithReceipts {
  readonly block: WireBlock | null;
  readonly receipts: readonly WireReceipt[] | null;
  /** True if the receipts are those of `eth_getBlockReceipts`. */
  readonly isList: boolean;
}

/** The block as the node returns it; null if it has none. */
function wireBlockOf({ number, block }: BlockAnswers): WireBlock | null {
  if (block instanceof RpcError)
    throw new BlockUnavailable(`the node refuses block ${number}`, `${block.message} (${block.code})`);
  return (block.result ?? null) as WireBlock | null;
}

async function readRef(node: NodeClient, number: number): Promise<BlockRef | null> {
  const [answer] = await node.callAll([{ method: "eth_getBlockByNumber", params: [hexNumber(number), false] }]);
  if (answer instanceof RpcError) {
    if (!isMissingMethod(answer) && NO_BLOCK.test(answer.message)) return null;
    throw refusedByNode("eth_getBlockByNumber", answer);
  }
  const block = answer?.result as WireBlock | null;
  if (!block) return null;
  const ref = parseRef(block);
  if (ref.number !== number) throw new BadUpstreamData(`the node returned block ${ref.number} for block ${number}`);
  return ref;
}

/** Number and hashes of a block. Throws `BadUpstreamData`. */
export function parseRef(block: WireBlock): BlockRef {
  const { settledHeight } = object(block, "a block") as WireBlock;
  return {
    number: integer(block.number, "number of a block"),
    hash: bytes(block.hash, "hash of a block", 32),
    parentHash: bytes(block.parentHash, "parentHash of a block", 32),
    settledHeight: isAbsent(settledHeight) ? null : integer(settledHeight, "settledHeight of a block"),
  };
}

/** For methods that every healthy node answers: an error answer makes the chain wait. */
async function callOrWait(node: NodeClient, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await node.call(method, params);
  } catch (error) {
    throw error instanceof RpcError ? refusedByNode(method, error) : error;
  }
}
