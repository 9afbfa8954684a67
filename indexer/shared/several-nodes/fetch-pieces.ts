import type { Clock } from "../clock.ts";
import { averageWith, type ChainNode, isNodeError, type NodeError } from "./chain-node.ts";

/** A node that is passed over because it is slow may have become faster. */
const FORGETTING = 0.99;

/** A block and the node that returned it. */
export interface OwnedBlock<Node, Raw> {
  readonly raw: Raw;
  readonly node: Node;
}

/** Consecutive blocks that are to be fetched. */
export interface Piece<Node, Raw> {
  readonly from: number;
  readonly to: number;
  /** The nodes that have failed to return block `from`, and why. */
  readonly tried: ReadonlyMap<Node, NodeError>;
  /** The first blocks of the piece as a node returned them incompletely, which are used if no node has more. */
  readonly incomplete: readonly OwnedBlock<Node, Raw>[];
}

export interface DividedPiece<Node, Raw> {
  readonly good: readonly OwnedBlock<Node, Raw>[];
  /** What another node should be asked for; null if there is nothing. */
  readonly rest: Piece<Node, Raw> | null;
}

export interface PiecesDeps<Node extends ChainNode, Raw> {
  readonly nodes: readonly Node[];
  readonly clock: Pick<Clock, "nowMs">;
  /** Reads blocks from a node: those of the range, or fewer, but at least the first. */
  readonly read: (node: Node, from: number, to: number) => Promise<readonly Raw[]>;
  /** Number of requests that a node gets at a time. */
  readonly concurrency: (node: Node) => number;
  /** Number of blocks of one request. */
  readonly blocksPerRequest: (node: Node) => number;
  /** True if the node should be asked for the piece. */
  readonly suits: (node: Node, piece: Piece<Node, Raw>) => boolean;
  /** Notes why a node has not returned the first block of a piece. */
  readonly refused: (node: Node, piece: Piece<Node, Raw>, error: NodeError) => void;
  /** Divides what a node returned. */
  readonly divided: (node: Node, piece: Piece<Node, Raw>, raws: readonly Raw[]) => DividedPiece<Node, Raw>;
}

export interface FetchedBlocks<Node, Raw> {
  /** Blocks by their position in the range; undefined if no node returned the block. */
  readonly slots: (OwnedBlock<Node, Raw> | undefined)[];
  /** Why the nodes did not return the first missing block; empty if none is missing. */
  readonly tried: ReadonlyMap<Node, NodeError>;
}

/**
 * Fills the missing slots of the range of blocks that begins with `from`. Each usable node takes the next piece as soon as it has an answer
 * to an earlier one, as many at a time as its limits allow, so each gets a share in proportion to its pace. What a node fails to return
 * is requested from the others.
 */
export async function fetchPieces<Node extends ChainNode, Raw>(
  deps: PiecesDeps<Node, Raw>,
  from: number,
  slots: (OwnedBlock<Node, Raw> | undefined)[],
): Promise<FetchedBlocks<Node, Raw>> {
  const { nodes, clock, suits } = deps;
  const queue = missingPieces(from, slots);
  const count = queue.reduce((sum, piece) => sum + piece.to - piece.from + 1, 0);
  const returned = new Map<Node, number>();
  const beganAt = clock.nowMs();

  const store = (blocks: readonly OwnedBlock<Node, Raw>[], first: number) => {
    for (const [i, block] of blocks.entries()) slots[first - from + i] = block;
  };

  async function work(node: Node): Promise<void> {
    for (let piece = take(deps, queue, node, count); piece; piece = take(deps, queue, node, count)) {
      const sentAt = clock.nowMs();
      const read = await deps.read(node, piece.from, piece.to).catch((error: unknown) => {
        if (!isNodeError(error)) throw error;
        return error;
      });
      if (isNodeError(read)) {
        deps.refused(node, piece, read);
        queue.unshift({ ...piece, tried: new Map([...piece.tried, [node, read]]) });
        continue;
      }
      node.worked();
      const ms = clock.nowMs() - sentAt;
      node.pieceMs = Math.max(ms, averageWith(node.pieceMs, ms));
      returned.set(node, (returned.get(node) ?? 0) + read.length);
      const { good, rest } = deps.divided(node, piece, read);
      store(good, piece.from);
      if (rest) queue.unshift(rest);
    }
  }

  const canServe = () => queue.some((piece) => nodes.some((node) => suits(node, piece)));
  while (canServe()) {
    const most = Math.max(...nodes.map(deps.concurrency));
    // Turn by turn, so that no node takes all pieces of a short range.
    const turns = Array.from({ length: most }, (_, turn) => nodes.filter((node) => turn < deps.concurrency(node)));
    await Promise.all(turns.flat().map(work));
  }
  for (const [node, blocks] of returned)
    node.blocksPerMs = averageWith(node.blocksPerMs, blocks / Math.max(1, clock.nowMs() - beganAt));
  queue.sort((one, other) => one.from - other.from);
  for (const piece of queue) store(piece.incomplete, piece.from);
  const missing = slots.indexOf(undefined);
  const first = queue.find(({ from: start, to }) => start <= from + missing && from + missing <= to);
  return { slots, tried: (missing < 0 ? null : first?.tried) ?? new Map() };
}

function missingPieces<Node, Raw>(
  from: number,
  slots: readonly (OwnedBlock<Node, Raw> | undefined)[],
): Piece<Node, Raw>[] {
  const pieces: Piece<Node, Raw>[] = [];
  for (let i = 0; i < slots.length; i++) {
    if (slots[i]) continue;
    const start = i;
    while (i + 1 < slots.length && !slots[i + 1]) i++;
    pieces.push({ from: from + start, to: from + i, tried: new Map(), incomplete: [] });
  }
  return pieces;
}

/** True if the node may return the first block of the piece. */
export const canRead = <Node extends ChainNode>(
  node: Node,
  { from, tried }: Pick<Piece<Node, unknown>, "from" | "tried">,
): boolean => node.isUsable && !tried.has(node) && node.has(from);

/** Takes what a node returned, and leaves the rest to all nodes. The node is asked again, and then gives the reason. */
export function complete<Node, Raw>(
  node: Node,
  { from, to }: Piece<Node, Raw>,
  raws: readonly Raw[],
): DividedPiece<Node, Raw> {
  const next = from + raws.length;
  const rest = next > to ? null : { from: next, to, tried: new Map(), incomplete: [] };
  return { good: raws.map((raw) => ({ raw, node })), rest };
}

/** Takes a part of the first piece that suits the node out of the queue; null if there is none. */
function take<Node extends ChainNode, Raw>(
  deps: PiecesDeps<Node, Raw>,
  queue: Piece<Node, Raw>[],
  node: Node,
  count: number,
): Piece<Node, Raw> | null {
  const at = queue.findIndex((piece) => deps.suits(node, piece));
  const piece = queue[at];
  if (!piece || isTooSlow(deps, queue, node, piece)) return null;
  const size = Math.min(deps.blocksPerRequest(node), Math.ceil(count / deps.nodes.length));
  const to = Math.min(piece.to, piece.from + size - 1, node.head ?? Number.POSITIVE_INFINITY);
  const { tried, incomplete } = piece;
  const rest = { from: to + 1, to: piece.to, tried, incomplete: incomplete.slice(to + 1 - piece.from) };
  queue.splice(at, 1, ...(to < piece.to ? [rest] : []));
  return { from: piece.from, to, tried, incomplete: incomplete.slice(0, to + 1 - piece.from) };
}

/** True if the other nodes, which may be busy with one request each, would fetch all that is left before this node has answered one. */
function isTooSlow<Node extends ChainNode, Raw>(
  deps: PiecesDeps<Node, Raw>,
  queue: readonly Piece<Node, Raw>[],
  node: Node,
  piece: Piece<Node, Raw>,
): boolean {
  const others = deps.nodes.filter((other) => other !== node && deps.suits(other, piece));
  const pace = others.reduce((sum, { blocksPerMs }) => sum + blocksPerMs, 0);
  if (pace === 0) return false;
  const left = queue.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const quickestMs = Math.min(...others.map(({ pieceMs }) => pieceMs));
  if (node.pieceMs <= quickestMs + left / pace) return false;
  node.pieceMs *= FORGETTING;
  return true;
}
