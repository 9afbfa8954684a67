import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { Clock } from "../../shared/clock.ts";
import { handledLater } from "../../shared/handled-later.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { BlockUnavailable, NodeBehind } from "../../shared/node/lagging-node.ts";
import { linkedController } from "../../shared/node/linked-controller.ts";
import { type TraceMode, TracesRefused, type Tracing } from "../fetch/call-traces.ts";
import type { BlockRef, EvmSource } from "../fetch/source.ts";
import type { IndexedChain } from "../store/indexed-chain.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { bytes } from "../wire/values.ts";
import { type ChainNode, isNodeError, type NodeError } from "./chain-node.ts";
import { createContradictions, NodesContradict, type Sight } from "./contradictions.ts";
import { fetchPieces, isUntraced, type OwnedBlock } from "./fetch-pieces.ts";

/** How long the other nodes are waited for at the start, once one of them can be used. */
const START_GRACE_MS = 1_000;

export interface PooledSourceDeps {
  readonly chainId: number;
  /** At least two. */
  readonly nodes: readonly ChainNode[];
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
  const contradictions = createContradictions(deps);
  const admitting = new Map<ChainNode, Promise<boolean>>();
  /** The last block that was returned. */
  let last: Pick<BlockRef, "number" | "hash"> | null = null;
  /** Hash of the last head that was confirmed. */
  let confirmed = "";
  let untracedReason: string | null = null;

  const usable = () => nodes.filter(({ isUsable }) => isUsable);

  /** The node's answer; null if it has none, which makes it unavailable. */
  async function ask<Answer>(node: ChainNode, read: (source: EvmSource) => Promise<Answer>): Promise<Answer | null> {
    try {
      return await read(node.source);
    } catch (error) {
      if (!isNodeError(error)) throw error;
      node.failed(error);
      return null;
    }
  }

  /** Finds out whether a node can be used. */
  async function admit(node: ChainNode): Promise<boolean> {
    const served = await ask(node, (source) => source.chainId());
    if (served === null) return false;
    if (served !== chainId) {
      node.quarantined(`it serves chain ${served}, not ${chainId}`);
      return false;
    }
    const head = await ask(node, async (source) => {
      await source.identify();
      return source.head();
    });
    if (head === null) return false;
    node.reported(head.number);
    node.admitted();
    const indexedHead = await indexed.head();
    await contradictions.compare(0);
    if (node.isUsable && indexedHead > 0) await contradictions.compare(Math.min(indexedHead, head.number));
    return node.isUsable;
  }

  /** Admits a node in the background. Its failures, and those of the database, show up again where the node is used. */
  function startToAdmit(node: ChainNode): Promise<boolean> {
    const running = admitting.get(node) ?? admit(node).finally(() => admitting.delete(node));
    admitting.set(node, running);
    return handledLater(running);
  }

  async function admitAll(): Promise<void> {
    const waiting = nodes.filter(({ isUsable, isQuarantined }) => !isUsable && !isQuarantined).map(startToAdmit);
    const all = Promise.all(waiting);
    if (usable().length > 0) return;
    const first = Promise.any(waiting.map(async (isAdmitted) => (await isAdmitted) || Promise.reject(new Error())));
    using grace = linkedController(signal);
    const afterGrace = first.then(() => clock.sleep(START_GRACE_MS, grace.signal));
    try {
      await Promise.race([all, afterGrace.catch(() => all)]);
    } finally {
      grace.abort(new Error("the nodes have answered"));
    }
    if (usable().length === 0) throw noAnswer(nodes);
  }

  /** The highest head of which the node also returns the block by its number. */
  async function confirmedHead(heads: readonly HeadOfNode[]): Promise<BlockRef | null> {
    for (const { node, head } of heads.toSorted((one, other) => other.head.number - one.head.number)) {
      if (head.hash === confirmed) return head;
      const ref = await ask(node, (source) => source.blockRef(head.number));
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
    for (const { head } of heads) {
      const other = byNumber.get(head.number) ?? (await indexed.hash(head.number)) ?? head.hash;
      if (other !== head.hash && (await contradictions.compare(head.number))) return true;
      byNumber.set(head.number, head.hash);
    }
    return false;
  }

  /** To be called before the nodes are read. Commands do not ask for the chain id first. */
  async function prepareNodes(): Promise<void> {
    if (usable().length === 0) await admitAll();
    else for (const node of nodes) if (node.isDue()) startToAdmit(node);
  }

  async function head(): Promise<BlockRef> {
    await prepareNodes();
    const asked = await Promise.all(
      usable().map(async (node) => ({ node, head: await ask(node, (source) => source.head()) })),
    );
    const heads = asked.filter((one): one is HeadOfNode => one.head !== null);
    for (const one of heads) one.node.reported(one.head.number);
    if (await compareHeads(heads)) return head();
    const best = await confirmedHead(heads);
    if (!best) throw noAnswer(nodes);
    return best;
  }

  /** Hash of the block before the range; null if it is not known. */
  const hashBefore = async (from: number) => (last?.number === from - 1 ? last.hash : indexed.hash(from - 1));

  /**
   * The blocks that follow one another and that the other nodes have, too. Null if a node was found to be wrong. If the first one does not
   * follow the block before it, all are returned: then the node reorganised.
   */
  async function agreed(
    from: number,
    blocks: readonly OwnedBlock[],
    seen: readonly Sight[],
  ): Promise<readonly OwnedBlock[] | null> {
    let parent = await hashBefore(from);
    for (const [i, { raw }] of blocks.entries()) {
      const number = from + i;
      if (parent !== null && hashOf(raw.block.parentHash) !== parent) {
        if ((number > 0 && (await contradictions.compare(number - 1))) || (await contradictions.compare(number)))
          return null;
        return i === 0 ? blocks : blocks.slice(0, i);
      }
      parent = hashOf(raw.block.hash);
    }
    const end = blocks.at(-1);
    if (!end) return blocks;
    const { hash, parentHash } = end.raw.block;
    const number = from + blocks.length - 1;
    const own = { node: end.node, ref: { number, hash: hashOf(hash), parentHash: hashOf(parentHash) } };
    const others = seen.filter(({ node, ref }) => ref.number === number && node !== end.node);
    return (await contradictions.compare(number, [own, ...others])) ? null : blocks;
  }

  async function blocks(from: number, to: number): Promise<readonly RawBlock[]> {
    await prepareNodes();
    let slots: (OwnedBlock | undefined)[] = Array.from({ length: to - from + 1 });
    // The other nodes are asked for the last block at the same time, so that the comparison takes no time of its own.
    const looking = handledLater(contradictions.look(to));
    for (;;) {
      const fetched = await fetchPieces({ nodes, mayLackTraces: traces === "auto", clock }, from, slots);
      const missing = fetched.slots.indexOf(undefined);
      const present = fetched.slots.slice(0, missing < 0 ? slots.length : missing) as OwnedBlock[];
      if (present.length === 0) throw noAnswer(nodes, fetched.tried, from);
      const result = await agreed(from, present, await looking).catch((error: unknown) => {
        if (!(error instanceof NodesContradict) || error.number <= from) throw error;
        return present.slice(0, error.number - from);
      });
      if (result) return result.map(({ raw }) => returned(raw));
      slots = fetched.slots.map((slot) => (slot?.node.isUsable ? slot : undefined));
    }
  }

  function returned(raw: RawBlock): RawBlock {
    last = { number: Number(raw.block.number), hash: hashOf(raw.block.hash) };
    if (traces !== "auto" || !isUntraced(raw)) return raw;
    const failure = raw.traceFailure ?? null;
    const silent = nodes.find((node) => !node.isUsable && !node.isQuarantined && node.traces(last?.number ?? 0));
    if (silent) {
      const reason = `${silent.name}, which may have the traces of block ${last.number}, cannot be asked for them`;
      return { ...raw, traceFailure: { reason, detail: failure?.detail ?? null, isPassing: true } };
    }
    if (failure && !failure.isPassing) untracedReason ??= failure.reason;
    return raw;
  }

  async function blockRef(number: number): Promise<BlockRef | null> {
    await prepareNodes();
    let isAnswered = false;
    for (const node of usable().toSorted((one, other) => Number(other.has(number)) - Number(one.has(number)))) {
      const ref = await ask(node, (source) => source.blockRef(number));
      if (ref) return ref;
      isAnswered ||= node.isUsable;
    }
    if (!isAnswered) throw noAnswer(nodes);
    return null;
  }

  async function tracedBlock(number: number): Promise<RawBlock> {
    await prepareNodes();
    const tried = new Map<ChainNode, NodeError>();
    for (const node of usable().toSorted((one, other) => Number(other.traces(number)) - Number(one.traces(number))))
      try {
        return await node.background.tracedBlock(number);
      } catch (error) {
        if (!isNodeError(error)) throw error;
        tried.set(node, error);
      }
    const refusals = [...tried.values()].filter((error) => error instanceof TracesRefused);
    const isFinal = refusals.length === nodes.filter(({ isQuarantined }) => !isQuarantined).length;
    const { message } = noAnswer(nodes, tried, number);
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
      await admitAll();
      return chainId;
    },
    head,
    blockRef,
    blocks,
    tracedBlock,
  };
}

interface HeadOfNode {
  readonly node: ChainNode;
  readonly head: BlockRef;
}

const hashOf = (hash: string): string => bytes(hash, "hash of a block", 32);

/** The error to throw if no node can answer. `tried` has what nodes that are usable have answered about block `number`. */
function noAnswer(
  nodes: readonly ChainNode[],
  tried: ReadonlyMap<ChainNode, NodeError> = new Map(),
  number: number | null = null,
): NodeError {
  const failures = nodes.map((node) => {
    const error =
      tried.get(node) ?? node.error ?? new NodeBehind(`it has no block${number === null ? "" : ` ${number}`}`);
    return { node, error, text: `${node.name}${node.isQuarantined ? " (quarantined)" : ""}: ${error.message}` };
  });
  const message = `no node can be used: ${failures.map(({ text }) => text).join("; ")}`;
  const details = failures.flatMap(({ node, error }) => (error.detail ? [`${node.name}: ${error.detail}`] : []));
  const detail = details.length > 0 ? details.join("; ") : null;
  const asked = failures.filter(({ node }) => !node.isQuarantined).map(({ error }) => error);
  const isLagging = (error: NodeError) => error instanceof NodeBehind || error instanceof BlockUnavailable;
  if (asked.length > 0 && asked.every((error) => error instanceof NodeBehind))
    return new NodeBehind(message, 0, false, detail);
  if (asked.length > 0 && asked.every(isLagging)) return new BlockUnavailable(message, detail);
  if (asked.every((error) => error instanceof BadUpstreamData)) return new BadUpstreamData(message, detail);
  const waits = asked.map((error) => (error instanceof NodeUnavailable ? error.retryAfterMs : 0));
  return new NodeUnavailable(message, Math.min(...waits), false, detail);
}
