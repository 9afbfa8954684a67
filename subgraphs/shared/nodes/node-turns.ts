/** A node that did not answer is asked after the others for this time. */
const FAILING_MS = 10_000;

interface TurnNode {
  readonly name: string;
  readonly url: string;
}

/** Which of several nodes is asked first. */
export interface NodeTurns {
  /** The nodes that are not excluded, in their order, after which come those that did not answer lately. */
  order<Node extends TurnNode>(nodes: readonly Node[], excluded: ReadonlySet<string>): readonly Node[];
  /** The node did not answer. */
  failed(node: TurnNode): void;
}

export function createNodeTurns(): NodeTurns {
  /** When a node last did not answer, by its URL. */
  const failedAt = new Map<string, number>();
  const isFailing = ({ url }: TurnNode) => Date.now() - (failedAt.get(url) ?? 0) < FAILING_MS;
  return {
    order: (nodes, excluded) =>
      nodes
        .filter(({ name }) => !excluded.has(name))
        .toSorted((one, other) => Number(isFailing(one)) - Number(isFailing(other))),
    failed: ({ url }) => void failedAt.set(url, Date.now()),
  };
}
