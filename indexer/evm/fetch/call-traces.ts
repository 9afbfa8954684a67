import { isMethodNotFound, NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import type { Answer } from "../../shared/node/rpc-answers.ts";
import type { RawBlock } from "../wire/blocks.ts";
import type { BlockTraces } from "../wire/call-trees.ts";
import { TraceRefused, verifyTraces } from "./verify-traces.ts";

/**
 * Whether a chain is indexed with call trees. `on`: indexing waits until the node provides them. `auto`: if the node refuses
 * the call trees of a block, the block is indexed without them. `off`: none are requested.
 */
export type TraceMode = "auto" | "on" | "off";

/** Whether call trees are requested and the node provides them. */
export interface Tracing {
  readonly isOn: boolean;
  /**
   * If tracing is off: the reason. If tracing is on: why the node first refused the call trees of a block, or null if it never
   * did.
   */
  readonly reason: string | null;
}

/** The node works, but does not provide call trees that are required. */
export class TracesRefused extends NodeUnavailable {}

/** Reads call trees from a node's answers, and keeps track of whether the node provides them. */
export interface CallTraces {
  readonly tracing: Tracing;
  isRequested(mode: TraceMode): boolean;
  /**
   * Finds out from the answer for any block whether the node has the method. Throws `TracesRefused` if it does not and the mode
   * is `on`.
   */
  identify(answer: Answer | undefined): void;
  /**
   * Returns the block with its call trees. If the node refused them, returns the block without call trees, or throws
   * `TracesRefused` if `mode` is `on`. Throws `BadUpstreamData` if the call trees do not belong to the block.
   */
  attach(raw: RawBlock, answer: Answer | undefined, mode: TraceMode): RawBlock;
  /** To be called after all requested blocks were read. */
  succeeded(): void;
}

const AVAILABLE: Tracing = { isOn: true, reason: null };
const SWITCHED_OFF: Tracing = { isOn: false, reason: "the setting evmChains[].traces is off for this chain" };
const METHOD_MISSING = { isOn: false, reason: "the chain's node does not answer debug_traceBlockByNumber" } as const;

/** `configured` is the chain's setting. A single read may use another mode. */
export function createCallTraces(configured: TraceMode): CallTraces {
  let tracing: Tracing = configured === "off" ? SWITCHED_OFF : AVAILABLE;

  function recordRefusal(answer: Answer | undefined, reason: string): void {
    if (!tracing.isOn) return;
    tracing = isMethodNotFound(answer)
      ? METHOD_MISSING
      : { isOn: configured !== "on", reason: tracing.reason ?? reason };
  }

  return {
    get tracing() {
      return tracing;
    },
    isRequested: (mode) => mode === "on" || (mode === "auto" && tracing.isOn),
    identify(answer) {
      if (isMethodNotFound(answer)) tracing = METHOD_MISSING;
      else if (tracing === METHOD_MISSING) tracing = AVAILABLE;
      if (tracing === METHOD_MISSING && configured === "on") throw new TracesRefused(METHOD_MISSING.reason);
    },
    attach(raw, answer, mode) {
      try {
        return { ...raw, traces: readTraces(raw, answer, mode) };
      } catch (error) {
        if (!(error instanceof TraceRefused)) throw error;
        const reason = `the node refuses the traces of block ${Number(raw.block.number)}: ${error.message}`;
        if (mode === configured) recordRefusal(answer, reason);
        if (mode === "on") throw new TracesRefused(reason);
        return raw;
      }
    },
    succeeded() {
      // If the setting is `on`, the chain waits after a refusal until blocks can be read again.
      if (configured === "on") tracing = AVAILABLE;
    },
  };
}

function readTraces({ block, receipts }: RawBlock, answer: Answer | undefined, mode: TraceMode): BlockTraces {
  const isEmpty = block.transactions.length === 0;
  // Nodes refuse to trace the genesis block, which has no transactions.
  if (isEmpty && (mode === "on" || block.number === "0x0")) return [];
  if (answer instanceof RpcError) throw new TraceRefused(`${answer.message} (${answer.code})`);
  return isEmpty ? [] : verifyTraces(block, receipts, answer?.result);
}
