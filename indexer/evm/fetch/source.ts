import { BadUpstreamData } from "../../../core/errors.ts";
import { isMethodNotFound, NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import type { Answer } from "../../shared/node/rpc-request.ts";
import { bytes, integer, type RawBlock, type WireBlock, type WireReceipt } from "../wire/blocks.ts";
import { verifyBlock } from "./verify-block.ts";
import { type BlockTraces, TraceRefused, verifyTraces } from "./verify-traces.ts";

const CALL_TRACER = { tracer: "callTracer" };

/** Number and hash (hex without `0x`) of a block. */
export interface BlockRef {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Null: it is its own settlement. */
  readonly settledHeight: number | null;
}

/** Whether a chain is indexed with its call trees: `on` waits for them, `auto` does without those that the node refuses. */
export type TraceMode = "auto" | "on" | "off";

/** Whether the node is asked for call trees and gives them. */
export interface Tracing {
  readonly isOn: boolean;
  /** Why it does not; of one that does, why it first refused those of a block. */
  readonly reason: string | null;
}

/** The node is there, but gives no call trees where they are wanted. */
export class TracesRefused extends NodeUnavailable {}

/** An EVM chain as one node shows it. */
export interface EvmSource {
  /** Whether blocks come with their call trees, as far as it is known; to be asked after `identify`. */
  readonly tracing: Tracing;
  /** Finds out what the node can do. Throws `TracesRefused` when the mode is `on` and the node has no traces. */
  identify(): Promise<void>;
  /** EVM chain id that the node serves. */
  chainId(): Promise<number>;
  /** The node's latest block. */
  head(): Promise<BlockRef>;
  /** The node's block at a height; null when it has none there (above its head, or thrown away). */
  blockRef(number: number): Promise<BlockRef | null>;
  /** Blocks `from` to `to`, both included, each checked in itself. Throws `BadUpstreamData` or `NodeUnavailable`. */
  blocks(from: number, to: number): Promise<RawBlock[]>;
  /** The block with its call trees. Throws `TracesRefused` when the node refuses them, whatever the mode. */
  tracedBlock(number: number): Promise<RawBlock>;
}

const hexNumber = (number: number): string => `0x${number.toString(16)}`;

function refOf(block: WireBlock): BlockRef {
  const { settledHeight } = block;
  return {
    number: integer(block.number, "block number"),
    hash: bytes(block.hash, "block hash", 32),
    parentHash: bytes(block.parentHash, "parent hash", 32),
    settledHeight: settledHeight === undefined ? null : integer(settledHeight, "settledHeight"),
  };
}

/**
 * Asks by `eth_getBlockByNumber`, `eth_getBlockReceipts` (or single receipts on a node without it), and, unless `traceMode`
 * is `off`, `debug_traceBlockByNumber`.
 */
export function createEvmSource(node: NodeClient, traceMode: TraceMode): EvmSource {
  let hasBlockReceipts = true;
  let tracing: Tracing = traceMode === "off" ? SWITCHED_OFF : GIVEN;

  async function receiptsOneByOne(block: WireBlock | null): Promise<WireReceipt[] | null> {
    const calls = (block?.transactions ?? []).map(({ hash }) => ({
      method: "eth_getTransactionReceipt",
      params: [hash],
    }));
    return (await node.callAll(calls)).map((answer) => resultOf(answer, "a receipt") as WireReceipt);
  }

  async function blocks(from: number, to: number, mode: TraceMode): Promise<RawBlock[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const isTraced = mode === "on" || (mode === "auto" && tracing.isOn);
    const isByBlock = hasBlockReceipts;
    const callsFor = (hex: string) => [
      { method: "eth_getBlockByNumber", params: [hex, true] },
      ...(isByBlock ? [{ method: "eth_getBlockReceipts", params: [hex] }] : []),
      ...(isTraced ? [{ method: "debug_traceBlockByNumber", params: [hex, CALL_TRACER] }] : []),
    ];
    const answers = await node.callAll(numbers.flatMap((number) => callsFor(hexNumber(number))));
    const stride = 1 + Number(isByBlock) + Number(isTraced);
    if (isByBlock && numbers.some((_, i) => isMethodNotFound(answers[i * stride + 1]))) {
      hasBlockReceipts = false;
      return blocks(from, to, mode);
    }
    const raws = await Promise.all(
      numbers.map(async (number, i) => {
        const block = resultOf(answers[i * stride], `block ${number}`) as WireBlock | null;
        const receipts = isByBlock
          ? resultOf(answers[i * stride + 1], `the receipts of block ${number}`)
          : await receiptsOneByOne(block);
        const raw = verifyBlock(number, block, receipts as WireReceipt[] | null);
        return isTraced ? withTraces(raw, answers[(i + 1) * stride - 1], mode) : raw;
      }),
    );
    // What made the chain wait is over: that block is the first of these.
    if (traceMode === "on") tracing = GIVEN;
    return raws;
  }

  function withTraces(raw: RawBlock, answer: Answer | undefined, mode: TraceMode): RawBlock {
    try {
      return { ...raw, traces: tracesOf(raw, answer, mode) };
    } catch (error) {
      if (!(error instanceof TraceRefused)) throw error;
      const reason = `the node refuses the traces of block ${Number(raw.block.number)}: ${error.message}`;
      if (mode === traceMode && tracing.isOn)
        tracing = isMethodNotFound(answer)
          ? UNKNOWN_TO_NODE
          : { isOn: mode !== "on", reason: tracing.reason ?? reason };
      if (mode === "on") throw new TracesRefused(reason);
      return raw;
    }
  }

  function tracesOf({ block, receipts }: RawBlock, answer: Answer | undefined, mode: TraceMode): BlockTraces {
    // Nodes refuse the genesis, which has nothing to trace.
    const isEmpty = block.transactions.length === 0;
    if (isEmpty && (mode === "on" || block.number === "0x0")) return [];
    if (answer instanceof RpcError) throw new TraceRefused(`${answer.message} (${answer.code})`);
    return isEmpty ? [] : verifyTraces(block, receipts, answer?.result);
  }

  /** For what every node answers that is well: the chain waits while it does not. */
  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await node.call(method, params);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new NodeUnavailable(`the node refuses ${method}: ${error.message} (${error.code})`);
    }
  }

  return {
    get tracing() {
      return tracing;
    },
    async identify() {
      if (traceMode === "off") return;
      const [answer] = await node.callAll([{ method: "debug_traceBlockByNumber", params: ["latest", CALL_TRACER] }]);
      if (isMethodNotFound(answer)) tracing = UNKNOWN_TO_NODE;
      else if (tracing === UNKNOWN_TO_NODE) tracing = GIVEN;
      if (tracing === UNKNOWN_TO_NODE && traceMode === "on") throw new TracesRefused(UNKNOWN_TO_NODE.reason);
    },
    chainId: async () => integer(await ask("eth_chainId", []), "eth_chainId"),
    async head() {
      const block = (await ask("eth_getBlockByNumber", ["latest", false])) as WireBlock | null;
      if (!block) throw new NodeUnavailable("the node knows no latest block");
      return refOf(block);
    },
    async blockRef(number) {
      const [answer] = await node.callAll([{ method: "eth_getBlockByNumber", params: [hexNumber(number), false] }]);
      // Nodes answer a height above their head by null or by an error (`cannot query unfinalized data`).
      const block = answer instanceof RpcError ? null : (answer?.result as WireBlock | null);
      if (!block) return null;
      const ref = refOf(block);
      if (ref.number !== number)
        throw new BadUpstreamData(`asked for block ${number}, the node answered block ${ref.number}`);
      return ref;
    },
    blocks: (from, to) => blocks(from, to, traceMode),
    async tracedBlock(number) {
      const [raw] = await blocks(number, number, "on");
      return raw as RawBlock;
    },
  };
}

const GIVEN: Tracing = { isOn: true, reason: null };
const SWITCHED_OFF: Tracing = { isOn: false, reason: "traces are switched off in the configuration" };
const UNKNOWN_TO_NODE = { isOn: false, reason: "the chain's node does not answer debug_traceBlockByNumber" } as const;

function resultOf(answer: Answer | undefined, what: string): unknown {
  if (answer instanceof RpcError)
    throw new BadUpstreamData(`the node refuses ${what}: ${answer.message} (${answer.code})`);
  return answer?.result ?? null;
}
