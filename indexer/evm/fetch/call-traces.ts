import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { Redact } from "../../../core/errors/redaction.ts";
import type { Clock } from "../../shared/clock.ts";
import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import type { Answer } from "../../shared/node/rpc-answers.ts";
import type { RawBlock } from "../wire/blocks.ts";
import type { BlockTraces, TraceFailure } from "../wire/call-trees.ts";
import { failureOf, refusesMethod } from "./trace-failure.ts";
import { verifyTraces } from "./verify-traces.ts";

/**
 * Whether a chain is indexed with call trees. `on`: if the node refuses the call trees of a block, indexing waits until it provides them.
 * `auto`: the block is indexed without them. `off`: none are requested. Call trees that contradict their block are missing in each mode.
 */
export type TraceMode = "auto" | "on" | "off";

/** How one read handles call trees: as the chain's setting says, or it needs them. */
export type TraceRead = TraceMode | "required";

/** Whether call trees are requested and the node provides them. */
export interface Tracing {
  readonly isOn: boolean;
  /**
   * If tracing is off: the reason. If tracing is on: why the node will not return the call trees of some block, or null if there is no
   * such block.
   */
  readonly reason: string | null;
}

/** The node works, but does not provide call trees that are required, or these contradict their block. */
export class TracesRefused extends NodeUnavailable {
  constructor(
    message: string,
    detail: string | null = null,
    /** True if the node may return them later. */
    readonly isPassing = true,
  ) {
    super(message, 0, false, detail);
  }
}

/** A node's answer for the call trees of a block: also that it gave none. */
export type TraceAnswer = Answer | NodeUnavailable;

/** Reads call trees from a node's answers, and keeps track of whether the node provides them. */
export interface CallTraces {
  readonly tracing: Tracing;
  isRequested(mode: TraceRead): boolean;
  /**
   * Finds out from the answer for any block whether the node has the method. Throws `TracesRefused` if it does not and the mode
   * is `on`.
   */
  identify(answer: Answer | undefined): void;
  /**
   * Returns the block with its call trees. If the node returned none, or some that contradict the block, returns the block with the
   * reason. Throws `TracesRefused` instead if `mode` is `required`, and for a refusal also if it is `on`.
   */
  attach(raw: RawBlock, answer: TraceAnswer | undefined, mode: TraceRead): RawBlock;
  /** To be called after all requested blocks were read. */
  succeeded(): void;
}

const AVAILABLE: Tracing = { isOn: true, reason: null };
const SWITCHED_OFF: Tracing = { isOn: false, reason: "the setting evmChains[].traces is off for this chain" };
const METHOD_MISSING = { isOn: false, reason: "the chain's node does not answer debug_traceBlockByNumber" } as const;
/** After this time, a method that the node did not have is requested again. */
const RECHECK_MS = 60_000;

export interface CallTracesOptions {
  /** The chain's setting. */
  readonly configured: TraceMode;
  readonly redact: Redact;
  readonly clock: Pick<Clock, "nowMs">;
}

export function createCallTraces({ configured, redact, clock }: CallTracesOptions): CallTraces {
  let tracing: Tracing = configured === "off" ? SWITCHED_OFF : AVAILABLE;
  let recheckAtMs = 0;

  function setMissing(): void {
    tracing = METHOD_MISSING;
    recheckAtMs = clock.nowMs() + RECHECK_MS;
  }

  function recordFailure({ reason, isPassing }: TraceFailure): void {
    if (configured === "on") tracing = { isOn: false, reason };
    else if (!isPassing && tracing.isOn) tracing = { isOn: true, reason: tracing.reason ?? reason };
  }

  /** Throws an error that is not about the call trees. */
  function failedBlock(raw: RawBlock, answer: TraceAnswer | undefined, mode: TraceRead, error: unknown): RawBlock {
    const failure = failureOf(Number(raw.block.number), error, redact);
    const isRefusal = !(error instanceof BadUpstreamData);
    if (isMissing(answer)) setMissing();
    else if (isRefusal && mode !== "required") recordFailure(failure);
    // A node that traces a block wrongly may do so for good: the chain must not wait for it.
    if (mode === "auto" || (mode === "on" && !isRefusal)) return { ...raw, traceFailure: failure };
    throw new TracesRefused(failure.reason, failure.detail, failure.isPassing);
  }

  return {
    get tracing() {
      return tracing;
    },
    isRequested: (mode) => (mode === "auto" ? tracing.isOn || clock.nowMs() >= recheckAtMs : mode !== "off"),
    identify(answer) {
      if (isMissing(answer)) setMissing();
      else if (tracing === METHOD_MISSING) tracing = AVAILABLE;
      if (tracing === METHOD_MISSING && configured === "on") throw new TracesRefused(METHOD_MISSING.reason);
    },
    attach(raw, answer, mode) {
      try {
        const traces = readTraces(raw, answer, mode);
        if (tracing === METHOD_MISSING && traces.length > 0) tracing = AVAILABLE;
        return { ...raw, traces };
      } catch (error) {
        return failedBlock(raw, answer, mode, error);
      }
    },
    succeeded() {
      // If the setting is `on`, the chain waits after a refusal until blocks can be read again.
      if (configured === "on") tracing = AVAILABLE;
    },
  };
}

const isMissing = (answer: TraceAnswer | undefined): boolean => answer instanceof RpcError && refusesMethod(answer);

function readTraces({ block, receipts }: RawBlock, answer: TraceAnswer | undefined, mode: TraceRead): BlockTraces {
  const isEmpty = block.transactions.length === 0;
  // Nodes refuse to trace the genesis block, which has no transactions.
  if (isEmpty && (mode !== "auto" || block.number === "0x0" || !isMissing(answer))) return [];
  if (answer instanceof Error) throw answer;
  return verifyTraces(block, receipts, answer?.result);
}
