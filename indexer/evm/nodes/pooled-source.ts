import type { Clock } from "../../shared/clock.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { NodeBehind } from "../../shared/node/lagging-node.ts";
import { createAgreedBlocks } from "../../shared/several-nodes/agreed-blocks.ts";
import { type AnswerOf, ask, askAll, isNodeError, type NodeError } from "../../shared/several-nodes/chain-node.ts";
import { createContradictions, type IndexedChain } from "../../shared/several-nodes/contradictions.ts";
import { createNodeSet } from "../../shared/several-nodes/node-set.ts";
import { type TraceMode, TracesRefused, type Tracing } from "../fetch/call-traces.ts";
import type { BlockRef, EvmSource } from "../fetch/source.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { bytes } from "../wire/values.ts";
import type { EvmNode } from "./evm-node.ts";
import { fetchPieces, isUntraced } from "./fetch-pieces.ts";

/** A block is final if a node has this many blocks above it. */
const FINAL_DEPTH = 3;

export interface PooledSourceDeps {
  readonly chainId: number;
  /** At least two. */
  readonly nodes: readonly EvmNode[];
  readonly traces: TraceMode;
  readonly indexed: IndexedChain;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * One chain, read from several nodes. A node is used once it has answered with the right chain id and its blocks agree with the indexed
 * ones. What one node cannot answer, another one is asked for. Throws only if no node can answer: `BadUpstreamData` if the answers of all of
 * them are wrong, else `NodeUnavailable`, with the reasons of all of them. Throws `NodesContradict` if it cannot be decided which of them is
 * right.
 */
export function createPooledSource(deps: PooledSourceDeps): EvmSource {
  const { chainId, nodes, traces, indexed, clock, signal } = deps;
  const contradictions = createContradictions({
    nodes,
    indexed,
    finalDepth: FINAL_DEPTH,
    clock,
    signal,
    format: (hash) => `0x${hash}`,
  });
  const set = createNodeSet({ nodes, admit, clock, signal });
  const { usable, prepare: prepareNodes, noAnswer } = set;
  const agreed = createAgreedBlocks<EvmNode, RawBlock>({
    contradictions,
    indexed,
    linkOf: ({ block: { number, hash, parentHash } }) => ({
      number: Number(number),
      hash: hashOf(hash),
      parentHash: hashOf(parentHash),
    }),
    fetch: (from, slots) => fetchPieces({ nodes, mayLackTraces: traces === "auto", clock }, from, slots),
    noAnswer,
  });
  /** Hash of the last head that was confirmed. */
  let confirmed = "";
  let untracedReason: string | null = null;

  /** Finds out whether a node can be used. */
  async function admit(node: EvmNode): Promise<boolean> {
    const served = await ask(node, ({ source }) => source.chainId());
    if (served === null) return false;
    if (served !== chainId) {
      node.quarantined(`it serves chain ${served}, not ${chainId}`);
      return false;
    }
    const head = await ask(node, async ({ source }) => {
      await source.identify();
      return source.head();
    });
    if (head === null) return false;
    node.reported(head.number);
    node.calls.forget();
    node.admitted();
    const indexedHead = await indexed.head();
    await contradictions.compare(0);
    if (node.isUsable && indexedHead > 0) await contradictions.compare(Math.min(indexedHead, head.number));
    return node.isUsable;
  }

  /** The highest head of which the node also returns the block by its number. */
  async function confirmedHead(heads: readonly HeadOfNode[]): Promise<BlockRef | null> {
    for (const { node, answer: head } of heads.toSorted((one, other) => other.answer.number - one.answer.number)) {
      if (head.hash === confirmed) return head;
      const ref = await ask(node, ({ source }) => source.blockRef(head.number));
      if (ref?.hash === head.hash) {
        confirmed = head.hash;
        return head;
      }
      if (node.isUsable)
        node.failed(new NodeBehind(`it does not return block ${head.number}, which it reports as its head`));
    }
    return null;
  }

  /** True if the heads showed that a node is wrong. */
  async function compareHeads(heads: readonly HeadOfNode[]): Promise<boolean> {
    const byNumber = new Map<number, string>();
    for (const { answer: head } of heads) {
      const other = byNumber.get(head.number) ?? (await indexed.hash(head.number)) ?? head.hash;
      if (other !== head.hash && (await contradictions.compare(head.number))) return true;
      byNumber.set(head.number, head.hash);
    }
    return false;
  }

  async function head(): Promise<BlockRef> {
    await prepareNodes();
    const heads = await askAll(usable(), ({ source }) => source.head(), deps);
    for (const { node, answer } of heads) node.reported(answer.number);
    if (await compareHeads(heads)) return head();
    const best = await confirmedHead(heads);
    if (!best) throw noAnswer();
    return best;
  }

  async function blocks(from: number, to: number): Promise<readonly RawBlock[]> {
    await prepareNodes();
    return (await agreed.blocks(from, to)).map(returned);
  }

  function returned(raw: RawBlock): RawBlock {
    const number = Number(raw.block.number);
    if (traces !== "auto" || !isUntraced(raw)) return raw;
    const failure = raw.traceFailure ?? null;
    const silent = nodes.find((node) => !node.isUsable && !node.isQuarantined && node.calls.traces(number));
    if (silent) {
      const reason = `${silent.name}, which may have the traces of block ${number}, cannot be asked for them`;
      return { ...raw, traceFailure: { reason, detail: failure?.detail ?? null, isPassing: true } };
    }
    if (failure && !failure.isPassing) untracedReason ??= failure.reason;
    return raw;
  }

  async function blockRef(number: number): Promise<BlockRef | null> {
    await prepareNodes();
    let isAnswered = false;
    for (const node of usable().toSorted((one, other) => Number(other.has(number)) - Number(one.has(number)))) {
      const ref = await ask(node, ({ source }) => source.blockRef(number));
      if (ref) return ref;
      isAnswered ||= node.isUsable;
    }
    if (!isAnswered) throw noAnswer();
    return null;
  }

  async function tracedBlock(number: number): Promise<RawBlock> {
    await prepareNodes();
    const tried = new Map<EvmNode, NodeError>();
    for (const node of usable().toSorted(
      (one, other) => Number(other.calls.traces(number)) - Number(one.calls.traces(number)),
    ))
      try {
        return await node.background.tracedBlock(number);
      } catch (error) {
        if (!isNodeError(error)) throw error;
        tried.set(node, error);
      }
    const refusals = [...tried.values()].filter((error) => error instanceof TracesRefused);
    const isFinal = refusals.length === nodes.filter(({ isQuarantined }) => !isQuarantined).length;
    const { message } = noAnswer(tried, number);
    if (!isFinal) throw new NodeUnavailable(message);
    throw new TracesRefused(
      message,
      null,
      refusals.some(({ isPassing }) => isPassing),
    );
  }

  return {
    get tracing(): Tracing {
      const [one] = nodes;
      if (nodes.some(({ source }) => source.tracing.isOn)) return { isOn: true, reason: untracedReason };
      return one?.source.tracing ?? { isOn: false, reason: null };
    },
    // A node is identified before it is used.
    async identify() {},
    async chainId() {
      await set.admitAll();
      return chainId;
    },
    head,
    blockRef,
    blocks,
    tracedBlock,
  };
}

type HeadOfNode = AnswerOf<EvmNode, BlockRef>;

const hashOf = (hash: string): string => bytes(hash, "hash of a block", 32);
