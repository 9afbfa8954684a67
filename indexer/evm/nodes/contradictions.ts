import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { BlockRef } from "../fetch/source.ts";
import type { IndexedChain } from "../store/indexed-chain.ts";
import { type ChainNode, isNodeError } from "./chain-node.ts";

/** A block is final if a node has this many blocks above it. */
const FINAL_DEPTH = 3;
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

/** A node's block of some height. */
export interface Sight {
  readonly node: ChainNode;
  readonly ref: Pick<BlockRef, "number" | "hash" | "parentHash">;
}

/** Finds nodes that contradict the indexed blocks or the other nodes. */
export interface Contradictions {
  /** The blocks of a height that the usable nodes have. `known` is what some of them have just returned. */
  look(number: number, known?: readonly Sight[]): Promise<readonly Sight[]>;
  /**
   * Compares the usable nodes at a height. `known` is what some of them have just returned. True if a node was found to be wrong: it is
   * quarantined or, if the block may not be final, unavailable for a while. Throws `NodesContradict` if it cannot be decided who is wrong.
   */
  compare(number: number, known?: readonly Sight[]): Promise<boolean>;
}

export interface ContradictionDeps {
  readonly nodes: readonly ChainNode[];
  readonly indexed: IndexedChain;
}

interface Verdict {
  readonly node: ChainNode;
  readonly reason: string;
}

export function createContradictions({ nodes, indexed }: ContradictionDeps): Contradictions {
  async function look(number: number, known: readonly Sight[] = []): Promise<readonly Sight[]> {
    const others = nodes.filter((node) => node.isUsable && node.has(number) && !known.some((one) => one.node === node));
    const seen = await Promise.all(others.map(async (node) => ({ node, ref: await refAt(node, number) })));
    return [...known, ...seen.flatMap(({ node, ref }) => (ref ? [{ node, ref }] : []))];
  }

  /** Blames the only nodes that can be asked, if the indexed block is another one: those that cannot be asked may have it. */
  async function unsupported(number: number, sights: readonly Sight[]): Promise<readonly Verdict[]> {
    const silent = nodes.filter((node) => !node.isQuarantined && !sights.some((sight) => sight.node === node));
    const stored = silent.length === 0 ? null : await indexed.hash(number);
    return sights.flatMap(({ node, ref }) =>
      stored === null || stored === ref.hash
        ? []
        : [
            {
              node,
              reason: `${differs(ref, stored)}, and ${silent.map(({ name }) => name).join(", ")} cannot be asked for it`,
            },
          ],
    );
  }

  async function compare(number: number, known: readonly Sight[] = []): Promise<boolean> {
    const seen = await look(number, known);
    if (isSame(seen) && known.length > 0) return false;
    // A reorganisation between two answers looks like a contradiction.
    const sights = isSame(seen) ? seen : await look(number);
    if (isSame(sights)) {
      const blamed = await unsupported(number, sights);
      for (const { node, reason } of blamed) node.failed(new NodeUnavailable(reason));
      return blamed.length > 0;
    }
    const wrong = await findWrong(indexed, number, sights);
    const isFinal = sights.some(({ node }) => node.head !== null && node.head >= number + FINAL_DEPTH);
    // Where blocks that are final differ too, the reason is there.
    if (!isFinal && number >= FINAL_DEPTH && (await compare(number - FINAL_DEPTH))) return true;
    for (const { node, reason } of wrong) {
      if (isFinal) node.quarantined(reason);
      else node.failed(new NodeUnavailable(`${reason}; it may not be final`));
    }
    return wrong.length > 0;
  }

  return { look, compare };
}

/** The node's block of a height; null if it has none, or does not answer, which makes it unavailable. */
async function refAt(node: ChainNode, number: number): Promise<BlockRef | null> {
  try {
    return await node.source.blockRef(number);
  } catch (error) {
    if (!isNodeError(error)) throw error;
    node.failed(error);
    return null;
  }
}

const keyOf = ({ ref }: Sight): string => `${ref.hash} ${ref.parentHash}`;
const isSame = (sights: readonly Sight[]): boolean => new Set(sights.map(keyOf)).size <= 1;
const differs = ({ number, hash }: Sight["ref"], right: string): string =>
  `its block ${number} is 0x${hash}, but the indexed block is 0x${right}`;

/**
 * Finds out who is wrong: who contradicts the indexed block; else whose own blocks do not follow one another; else who contradicts the
 * majority of at least three nodes. Empty if a node no longer answers. Throws `NodesContradict`.
 */
async function findWrong(indexed: IndexedChain, number: number, sights: readonly Sight[]): Promise<readonly Verdict[]> {
  const stored = await indexed.hash(number);
  if (stored !== null && sights.some(({ ref }) => ref.hash === stored)) {
    const wrong = sights.filter(({ ref }) => ref.hash !== stored);
    if (wrong.length > 0) return wrong.map(({ node, ref }) => ({ node, reason: differs(ref, stored) }));
  }
  const groups = groupsOf(sights);
  const first = await firstDifference(await indexed.head(), number, groups);
  if (!first) return [];
  const { number: at, refs, parentHash } = first;
  const links = await Promise.all(groups.map((group, i) => brokenLink(group[0], refs[i], parentHash)));
  const sound = groups.filter((_, i) => links[i] === null);
  if (sound.length === 1)
    return groups.flatMap((group, i) => group.map(({ node }) => ({ node, reason: links[i] ?? "" }))).filter(hasReason);
  const majority = groups.find((group) => group.length * 2 > sights.length);
  const hashes = groups.map((_, i) => refs[i]?.hash ?? "");
  if (majority && sights.length >= MIN_VOTERS) {
    const right = hashes[groups.indexOf(majority)];
    const votes = `block ${at} of ${majority.length} of ${sights.length} nodes is 0x${right}`;
    return groups.flatMap((group, i) =>
      group === majority
        ? []
        : group.map(({ node }) => ({ node, reason: `its block ${at} is 0x${hashes[i]}, but ${votes}` })),
    );
  }
  const each = groups.map((group, i) => `0x${hashes[i]} at ${group.map(({ node }) => node.name).join(", ")}`);
  throw new NodesContradict(
    `the nodes contradict each other, and nothing tells which of them is right: block ${at} is ${each.join(" and ")}; remove the wrong node from nodeUrls`,
    at,
  );
}

/** The nodes that have the same block. */
function groupsOf(sights: readonly Sight[]): readonly (readonly Sight[])[] {
  const groups = new Map<string, Sight[]>();
  for (const sight of sights) groups.set(keyOf(sight), [...(groups.get(keyOf(sight)) ?? []), sight]);
  return [...groups.values()];
}

const hasReason = ({ reason }: Verdict): boolean => reason !== "";

interface Difference {
  readonly number: number;
  /** The block of each group. */
  readonly refs: readonly BlockRef[];
  /** Hash of the block before it, which all groups have; null before the first block. */
  readonly parentHash: string | null;
}

/** The lowest height above the indexed blocks, or from 0, at which the groups differ. Null if a node no longer answers. */
async function firstDifference(
  indexedHead: number,
  number: number,
  groups: readonly (readonly Sight[])[],
): Promise<Difference | null> {
  const refsAt = async (height: number): Promise<readonly BlockRef[] | null> => {
    const refs = await Promise.all(groups.map(([one]) => (one ? refAt(one.node, height) : null)));
    return refs.some((ref) => ref === null) ? null : (refs as BlockRef[]);
  };
  const isShared = (refs: readonly BlockRef[]) => new Set(refs.map(({ hash }) => hash)).size === 1;
  let same = -1;
  let parentHash: string | null = null;
  let different = number;
  let refs = await refsAt(number);
  // The nodes were compared with the indexed blocks, so most differences are above them.
  let middle = indexedHead >= 0 && indexedHead < number ? indexedHead : Math.floor((same + different) / 2);
  while (refs && different - same > 1) {
    const atMiddle: readonly BlockRef[] | null = await refsAt(middle);
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

/** Why the node's block contradicts its own parent or child; null if it does not. */
async function brokenLink(
  sight: Sight | undefined,
  ref: BlockRef | undefined,
  parentHash: string | null,
): Promise<string | null> {
  if (!sight || !ref) return null;
  const { node } = sight;
  const { number } = ref;
  if (parentHash !== null && ref.parentHash !== parentHash)
    return `its block ${number} names 0x${ref.parentHash} as its parent, but block ${number - 1} is 0x${parentHash}`;
  const child = node.has(number + 1) ? await refAt(node, number + 1) : null;
  if (!child || child.parentHash === ref.hash) return null;
  return `its block ${number} is 0x${ref.hash}, but its block ${number + 1} names 0x${child.parentHash} as its parent`;
}
