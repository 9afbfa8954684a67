import type { Config } from "../../../core/config/config-schema.ts";
import { createRedaction, type Redact } from "../../../core/errors/redaction.ts";
import type { ConfiguredNode } from "../../../core/networks/nodes.ts";
import { type Clock, SYSTEM_CLOCK } from "../../shared/clock.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import type { NodeStatus } from "../../shared/progress.ts";
import { type ChainNode, createChainNode, watched } from "../../shared/several-nodes/chain-node.ts";
import { type IndexedChain, NOTHING_INDEXED } from "../../shared/several-nodes/contradictions.ts";
import { ATTEMPTS_OF_SEVERAL } from "../../shared/several-nodes/node-set.ts";
import type { ContractNode } from "../contract-calls/contract-node.ts";
import type { TraceMode } from "../fetch/call-traces.ts";
import { createEvmSource, type EvmSource } from "../fetch/source.ts";
import { createCallTreesOfNode, type EvmNode, type NodeClients } from "./evm-node.ts";
import { createPooledSource } from "./pooled-source.ts";

/** The nodes of one EVM chain. */
export interface NodePool extends AsyncDisposable {
  /** Reads blocks from all nodes. */
  readonly source: EvmSource;
  /** Reads what must not delay the reading of blocks. */
  readonly background: Pick<EvmSource, "tracedBlock" | "head">;
  /** A node for calls to contracts, all of which should go to the same node. */
  contractNode(): ContractNode;
  /** Removes the addresses of the nodes and the secrets of their settings from a text. */
  readonly redact: Redact;
  /** The nodes in the order of the settings. */
  status(): readonly NodeStatus[];
}

export interface NodePoolOptions {
  readonly chainId: number;
  readonly nodes: readonly ConfiguredNode[];
  readonly traces: TraceMode;
  readonly indexing: Pick<Config["indexing"], "requestTimeoutMs" | "maxConcurrency" | "maxBatchSize">;
  readonly signal: AbortSignal;
  /** The indexed blocks, with which the nodes are compared. Default: none. */
  readonly indexed?: IndexedChain;
  /** Called when the state, the reason or the head of a node has changed. */
  readonly onChange?: (node: ChainNode, before: NodeStatus) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Opens no connection before the first call. With a single node, its errors are passed on as they are. */
export function createNodePool(options: NodePoolOptions): NodePool {
  const { chainId, traces, indexed = NOTHING_INDEXED, onChange = () => {}, clock = SYSTEM_CLOCK, signal } = options;
  const clients = options.nodes.map((node) => createClients(options, node));
  const nodes = clients.map((one) => createChainNode(one, { clock, onChange }));
  const [first] = nodes;
  if (!first) throw new Error("a chain has no node");
  const isAlone = nodes.length === 1;
  const source = isAlone
    ? watchedSource(first)
    : createPooledSource({ chainId, nodes, traces, indexed, clock, signal });
  return {
    source,
    background: isAlone ? first.background : { tracedBlock: source.tracedBlock, head: source.head },
    contractNode() {
      const usable = nodes.filter(({ isUsable }) => isUsable);
      const highest = Math.max(...usable.map(({ head }) => head ?? -1));
      const { contracts, background } = usable.find(({ head }) => (head ?? -1) === highest) ?? first;
      return { node: contracts, source: background };
    },
    redact: createRedaction(...options.nodes),
    status: () => nodes.map(({ status }) => status),
    async [Symbol.asyncDispose]() {
      const open = clients.flatMap(({ blocks, contracts }) => [...new Set([blocks, contracts])]);
      await Promise.all(open.map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Two clients of a node: a quarter of `maxConcurrency` is for everything that may keep the node busy, such as calls to contracts, the rest
 * for blocks. If `maxConcurrency` is below 4, both are the same client.
 */
function createClients(
  { chainId, nodes, traces, indexing, signal, clock }: NodePoolOptions,
  node: ConfiguredNode,
): NodeClients {
  const { name, url, headers } = node;
  const { requestTimeoutMs, maxConcurrency, maxBatchSize } = indexing;
  const clientOf = (concurrency: number) =>
    createNodeClient({
      url,
      headers,
      requestTimeoutMs,
      maxConcurrency: concurrency,
      maxBatchSize,
      signal,
      labels: { chain: String(chainId), node: name },
      ...(nodes.length > 1 ? { attempts: ATTEMPTS_OF_SEVERAL } : {}),
      ...(clock ? { clock } : {}),
    });
  const share = maxConcurrency >> 2;
  const blocks = clientOf(maxConcurrency - share);
  const contracts = share > 0 ? clientOf(share) : blocks;
  const sourceOf = (client: typeof blocks) => createEvmSource(client, traces, clock);
  const source = sourceOf(blocks);
  const calls = createCallTreesOfNode({ tracing: () => source.tracing });
  return { name, blocks, contracts, source, background: sourceOf(contracts), calls };
}

/** The source of a chain's only node, which keeps the state of the node up to date. */
function watchedSource(node: EvmNode): EvmSource {
  const { source } = node;
  return {
    get tracing() {
      return source.tracing;
    },
    identify: () => watched(node, source.identify()),
    chainId: () => watched(node, source.chainId()),
    async head() {
      const head = await watched(node, source.head());
      node.reported(head.number);
      return head;
    },
    blockRef: (number) => watched(node, source.blockRef(number)),
    blocks: (from, to) => watched(node, source.blocks(from, to)),
    tracedBlock: (number) => source.tracedBlock(number),
  };
}
