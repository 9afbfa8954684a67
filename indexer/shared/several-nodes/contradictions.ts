import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "../node/errors.ts";
import { ask, askAll, type ChainNode, type ChainNodeWith, type Wait } from "./chain-node.ts";

/** Smallest number of nodes of which a majority decides. */
const MIN_VOTERS = 3;

/** Two nodes have different blocks of a height, and nothing tells which of them is right. */
export class NodesContradict extends BadUpstreamData {
  constructor(
    message: string,
    /** The first height at which they differ. */
    readonly number: number,
  ) {
    super(message);
  }
}

/** Number and hashes (hex without `0x`) of a block. */
export interface LinkedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** Reads number and hashes of the indexed blocks of a chain. Hashes are hex without `0x`. */
export interface IndexedChain {
  /** Number of the last indexed block; -1 before the first. */
  head(): Promise<number>;
  /** Null if the block is not indexed. */
  hash(number: number): Promise<string | null>;
}

/** A chain of which nothing is indexed. */
export const NOTHING_INDEXED: IndexedChain = { head: async () => -1, hash: async () => null };

/** A node that can be compared with others: `blockRef` returns its block at a height, or null if it has none there. */
type ComparedNode = ChainNodeWith<{
  readonly source: { readonly blockRef: (number: number) => Promise<LinkedBlock | null> };
}>;

/** A node's block of some height. */
export interface Sight<Node extends ChainNode> {
  readonly node: Node;
  readonly ref: LinkedBlock;
}

/** Finds nodes that contradict the indexed blocks or the other nodes. */
export interface Contradictions<Node extends ChainNode> {
  /** The blocks of a height that the usable nodes have. `known` is what some of them have just returned. */
  look(number: number, known?: readonly Sight<Node>[]): Promise<readonly Sight<Node>[]>;
  /**
   * Compares the usable nodes at a height. `known` is what some of them have just returned. True if a node was found to be wrong: it is
   * quarantined or, if the block may not be final, unavailable for a while. Throws `NodesContradict` if it cannot be decided who is wrong.
   */
  compare(number: number, known?: readonly Sight<Node>[]): Promise<boolean>;
}

export interface ContradictionDeps<Node extends ChainNode> extends Wait {
  readonly nodes: readonly Node[];
  readonly indexed: IndexedChain;
  /** A block is final if a node has this many blocks above it. */
  readonly finalDepth: number;
  /** A hash as messages show it. */
  readonly format: (hash: string) => string;
}

interface Verdict<Node extends ChainNode> {
  readonly node: Node;
  readonly reason: string;
}

export function createContradictions<Node extends ComparedNode>(deps: ContradictionDeps<Node>): Contradictions<Node> {
  const { nodes, indexed, finalDepth, format } = deps;

  async function look(number: number, known: readonly Sight<Node>[] = []): Promise<readonly Sight<Node>[]> {
    const others = nodes.filter((node) => node.isUsable && node.has(number) && !known.some((one) => one.node === node));
    const seen = await askAll(others, ({ source }) => source.blockRef(number), deps);
    return [...known, ...seen.flatMap(({ node, answer }) => (answer ? [{ node, ref: answer }] : []))];
  }

  /** Blames the only nodes that can be asked, if the indexed block is another one: those that cannot be asked may have it. */
  async function unsupported(number: number, sights: readonly Sight<Node>[]): Promise<readonly Verdict<Node>[]> {
    const silent = nodes.filter((node) => !node.isQuarantined && !sights.some((sight) => sight.node === node));
    const stored = silent.length === 0 ? null : await indexed.hash(number);
    return sights.flatMap(({ node, ref }) =>
      stored === null || stored === ref.hash
        ? []
        : [
            {
              node,
              reason: `${differs(ref, stored, format)}, and ${silent.map(({ name }) => name).join(", ")} cannot be asked for it`,
            },
          ],
    );
  }

  async function compare(number: number, known: readonly Sight<Node>[] = []): Promise<boolean> {
    const seen = await look(number, known);
    if (isSame(seen) && known.length > 0) return false;
    // A reorganisation between two answers looks like a contradiction.
    const sights = isSame(seen) ? seen : await look(number);
    if (isSame(sights)) {
      const blamed = await unsupported(number, sights);
      for (const { node, reason } of blamed) node.failed(new NodeUnavailable(reason));
      return blamed.length > 0;
    }
    const wrong = await findWrong(deps, number, sights);
    const isFinal = sights.some(({ node }) => node.head !== null && node.head >= number + finalDepth);
    // Where blocks that are final differ too, the reason is there.
    if (!isFinal && finalDepth > 0 && number >= finalDepth && (await compare(number - finalDepth))) return true;
    for (const { node, reason } of wrong) {
      if (isFinal) node.quarantined(reason);
      else node.failed(new NodeUnavailable(`${reason}; it may not be final`));
    }
    return wrong.length > 0;
  }

  return { look, compare };
}

/** The node's block of a height; null if it has none, or does not answer. */
const refAt = (node: ComparedNode, number: number): Promise<LinkedBlock | null> =>
  ask(node, ({ source }) => source.blockRef(number));

const keyOf = ({ ref }: Sight<ChainNode>): string => `${ref.hash} ${ref.parentHash}`;
const isSame = (sights: readonly Sight<ChainNode>[]): boolean => new Set(sights.map(keyOf)).size <= 1;
const differs = ({ number, hash }: LinkedBlock, right: string, format: (hash: string) => string): string =>
  `its block ${number} is ${format(hash)}, but the indexed block is ${format(right)}`;

/**
 * Finds out who is wrong: who contradicts the indexed block; else whose own blocks do not follow one another; else who contradicts the
 * majority of at least three nodes. Empty if a node no longer answers. Throws `NodesContradict`.
 */
async function findWrong<Node extends ComparedNode>(
  { indexed, format }: ContradictionDeps<Node>,
  number: number,
  sights: readonly Sight<Node>[],
): Promise<readonly Verdict<Node>[]> {
  const stored = await indexed.hash(number);
  if (stored !== null && sights.some(({ ref }) => ref.hash === stored)) {
    const wrong = sights.filter(({ ref }) => ref.hash !== stored);
    if (wrong.length > 0) return wrong.map(({ node, ref }) => ({ node, reason: differs(ref, stored, format) }));
  }
  const groups = groupsOf(sights);
  const first = await firstDifference(await indexed.head(), number, groups);
  if (!first) return [];
  const { number: at, refs, parentHash } = first;
  const links = await Promise.all(
    groups.map((group, i) => brokenLink(group[0]?.node, refs[i], { parentHash, format })),
  );
  const sound = groups.filter((_, i) => links[i] === null);
  if (sound.length === 1)
    return groups.flatMap((group, i) => group.map(({ node }) => ({ node, reason: links[i] ?? "" }))).filter(hasReason);
  const majority = groups.find((group) => group.length * 2 > sights.length);
  const hashes = groups.map((_, i) => refs[i]?.hash ?? "");
  const hashOf = (i: number) => format(hashes[i] ?? "");
  if (majority && sights.length >= MIN_VOTERS) {
    const votes = `block ${at} of ${majority.length} of ${sights.length} nodes is ${hashOf(groups.indexOf(majority))}`;
    return groups.flatMap((group, i) =>
      group === majority
        ? []
        : group.map(({ node }) => ({ node, reason: `its block ${at} is ${hashOf(i)}, but ${votes}` })),
    );
  }
  const each = groups.map((group, i) => `${hashOf(i)} at ${group.map(({ node }) => node.name).join(", ")}`);
  throw new NodesContradict(
    `the nodes contradict each other, and nothing tells which of them is right: block ${at} is ${each.join(" and ")}; remove the wrong node from nodeUrls`,
    at,
  );
}

/** The nodes that have the same block. */
function groupsOf<Node extends ChainNode>(sights: readonly Sight<Node>[]): readonly (readonly Sight<Node>[])[] {
  const groups = new Map<string, Sight<Node>[]>();
  for (const sight of sights) groups.set(keyOf(sight), [...(groups.get(keyOf(sight)) ?? []), sight]);
  return [...groups.values()];
}

const hasReason = ({ reason }: Verdict<ChainNode>): boolean => reason !== "";

interface Difference {
  readonly number: number;
  /** The block of each group. */
  readonly refs: readonly LinkedBlock[];
  /** Hash of the block before it, which all groups have; null before the first block. */
  readonly parentHash: string | null;
}

/** The lowest height above the indexed blocks, or from 0, at which the groups differ. Null if a node no longer answers. */
async function firstDifference(
  indexedHead: number,
  number: number,
  groups: readonly (readonly Sight<ComparedNode>[])[],
): Promise<Difference | null> {
  const refsAt = async (height: number): Promise<readonly LinkedBlock[] | null> => {
    const refs = await Promise.all(groups.map(([one]) => (one ? refAt(one.node, height) : null)));
    return refs.some((ref) => ref === null) ? null : (refs as LinkedBlock[]);
  };
  const isShared = (refs: readonly LinkedBlock[]) => new Set(refs.map(({ hash }) => hash)).size === 1;
  let same = -1;
  let parentHash: string | null = null;
  let different = number;
  let refs = await refsAt(number);
  // The nodes were compared with the indexed blocks, so most differences are above them.
  let middle = indexedHead >= 0 && indexedHead < number ? indexedHead : Math.floor((same + different) / 2);
  while (refs && different - same > 1) {
    const atMiddle: readonly LinkedBlock[] | null = await refsAt(middle);
    if (!atMiddle) return null;
    if (isShared(atMiddle)) {
      same = middle;
      parentHash = atMiddle[0]?.hash ?? null;
    } else {
      different = middle;
      refs = atMiddle;
    }
    middle = Math.floor((same + different) / 2);
  }
  return refs && { number: different, refs, parentHash };
}

interface LinkContext {
  readonly parentHash: string | null;
  readonly format: (hash: string) => string;
}

/** Why the node's block contradicts its own parent or child; null if it does not. */
async function brokenLink(
  node: ComparedNode | undefined,
  ref: LinkedBlock | undefined,
  { parentHash, format }: LinkContext,
): Promise<string | null> {
  if (!node || !ref) return null;
  const { number } = ref;
  if (parentHash !== null && ref.parentHash !== parentHash)
    return `its block ${number} names ${format(ref.parentHash)} as its parent, but block ${number - 1} is ${format(parentHash)}`;
  const child = node.has(number + 1) ? await refAt(node, number + 1) : null;
  if (!child || child.parentHash === ref.hash) return null;
  return `its block ${number} is ${format(ref.hash)}, but its block ${number + 1} names ${format(child.parentHash)} as its parent`;
}
