import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { handledLater } from "../handled-later.ts";
import { NodeUnavailable } from "../node/errors.ts";
import { BlockUnavailable, NodeBehind } from "../node/lagging-node.ts";
import { allOrSoonAfterFirst, type ChainNode, type NodeError, type Wait } from "./chain-node.ts";

/** How long the other nodes are waited for at the start, once one of them can be used. */
const START_GRACE_MS = 1_000;
/** Attempts for a request if another node can answer it. */
export const ATTEMPTS_OF_SEVERAL = 2;

/** The nodes of a chain, which are used once they are admitted. */
export interface NodeSet<Node extends ChainNode> {
  usable(): readonly Node[];
  /** Admits the nodes that are not usable. Throws if none can be used. */
  admitAll(): Promise<void>;
  /** To be called before the nodes are read. Admits nodes whose pause is over in the background. Throws if none can be used. */
  prepare(): Promise<void>;
  /** The error to throw if no node can answer. `tried` has what nodes that are usable have answered about block `number`. */
  noAnswer(tried?: ReadonlyMap<Node, NodeError>, number?: number): NodeError;
}

export interface NodeSetOptions<Node extends ChainNode> extends Wait {
  readonly nodes: readonly Node[];
  /** Finds out whether a node can be used, and tells it. True if it can be used. */
  readonly admit: (node: Node) => Promise<boolean>;
}

export function createNodeSet<Node extends ChainNode>(options: NodeSetOptions<Node>): NodeSet<Node> {
  const { nodes, admit } = options;
  const admitting = new Map<Node, Promise<boolean>>();
  const usable = () => nodes.filter(({ isUsable }) => isUsable);

  /** Admits a node in the background. Its failures, and those of the database, show up again where the node is used. */
  function startToAdmit(node: Node): Promise<boolean> {
    const running = admitting.get(node) ?? admit(node).finally(() => admitting.delete(node));
    admitting.set(node, running);
    return handledLater(running);
  }

  async function admitAll(): Promise<void> {
    const waiting = nodes.filter(({ isUsable, isQuarantined }) => !isUsable && !isQuarantined).map(startToAdmit);
    if (usable().length > 0) return;
    await allOrSoonAfterFirst(waiting, START_GRACE_MS, options);
    if (usable().length === 0) throw noAnswer(nodes);
  }

  return {
    usable,
    admitAll,
    // Commands do not identify the chain first.
    async prepare() {
      if (usable().length === 0) await admitAll();
      else for (const node of nodes) if (node.isDue()) startToAdmit(node);
    },
    noAnswer: (tried, number) => noAnswer(nodes, tried, number),
  };
}

function noAnswer<Node extends ChainNode>(
  nodes: readonly Node[],
  tried: ReadonlyMap<Node, NodeError> = new Map(),
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
