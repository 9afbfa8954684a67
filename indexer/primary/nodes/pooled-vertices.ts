import { formatId } from "../../../core/formats/id-text.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { ask, type NodeError } from "../../shared/several-nodes/chain-node.ts";
import type { NodeSet } from "../../shared/several-nodes/node-set.ts";
import type { ContainerIndex } from "../fetch/container-index.ts";
import type { PrimaryNode } from "./primary-node.ts";

/** The indexed vertices of the X-Chain. Ids are hex. */
export interface IndexedVertices {
  /** Number of the vertices. */
  count(): Promise<number>;
  /** Null if the vertex is not indexed. */
  id(position: number): Promise<string | null>;
}

/**
 * The index of vertices of one node, because their order differs between nodes. Another node continues it only if it has the same
 * vertices at the first and the last position that were read.
 */
export function createPooledVertices(
  { prepare, usable, noAnswer }: NodeSet<PrimaryNode>,
  indexed: IndexedVertices,
): ContainerIndex {
  let current: PrimaryNode | null = null;
  /** The last vertex that was returned. */
  let last: { readonly position: number; readonly id: string } | null = null;

  /** Why the node's vertices cannot be read from `start` on; null if they can. */
  async function problemOf({ node }: PrimaryNode, start: number): Promise<string | null> {
    for (const position of new Set(start > 0 ? [0, start - 1] : [])) {
      const known = last?.position === position ? last.id : await indexed.id(position);
      const [found] = known === null ? [] : await node.vertices.from(position, 1);
      if (known !== null && found?.id !== known)
        return `its index has the vertices in another order: vertex ${position} is ${found ? formatId(found.id) : "missing"}, but ${formatId(known)} is indexed`;
    }
    return (await node.vertices.length()) === null ? "it has no index of the X-Chain's vertices" : null;
  }

  async function nodeFor(start: number): Promise<PrimaryNode> {
    await prepare();
    if (current?.isUsable) return current;
    current = null;
    const problems = new Map<PrimaryNode, NodeError>();
    for (const node of usable()) {
      const problem = await ask(node, async () => ({ text: await problemOf(node, start) }));
      if (problem?.text === null) {
        current = node;
        return node;
      }
      if (problem?.text) problems.set(node, new NodeUnavailable(problem.text));
    }
    throw noAnswer(problems);
  }

  async function read<Answer>(start: number, question: (node: PrimaryNode) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const node = await nodeFor(start);
      const answer = await ask(node, async () => ({ value: await question(node) }));
      if (answer) return answer.value;
    }
  }

  return {
    length: async () => read(await indexed.count(), ({ node }) => node.vertices.length()),
    async from(start, count) {
      const found = await read(start, ({ node }) => node.vertices.from(start, count));
      const end = found.at(-1);
      if (end) last = { position: start + found.length - 1, id: end.id };
      return found;
    },
  };
}
