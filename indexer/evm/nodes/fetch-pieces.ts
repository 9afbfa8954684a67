import type { Clock } from "../../shared/clock.ts";
import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import { TracesRefused } from "../fetch/call-traces.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { averageWith, type ChainNode, isNodeError, type NodeError } from "./chain-node.ts";

/** Calls for a block: the block and its receipts. Its call trees take one more. */
const CALLS_PER_BLOCK = 2;
/** A node that is passed over because it is slow may have become faster. */
const FORGETTING = 0.99;

/** A block and the node that returned it. */
export interface OwnedBlock {
  readonly raw: RawBlock;
  readonly node: ChainNode;
}

/** Consecutive blocks that are to be fetched. */
interface Piece {
  readonly from: number;
  readonly to: number;
  /** The nodes that have failed to return block `from`, and why. */
  readonly tried: ReadonlyMap<ChainNode, NodeError>;
  /** The first blocks of the piece as a node returned them without call trees, if no node has these. */
  readonly untraced: readonly OwnedBlock[];
}

export interface PiecesDeps {
  readonly nodes: readonly ChainNode[];
  /** True if blocks without call trees are used if no node has these. */
  readonly mayLackTraces: boolean;
  readonly clock: Pick<Clock, "nowMs">;
}

export interface FetchedBlocks {
  /** Blocks by their position in the range; undefined if no node returned the block. */
  readonly slots: (OwnedBlock | undefined)[];
  /** Why the nodes did not return the first missing block; empty if none is missing. */
  readonly tried: ReadonlyMap<ChainNode, NodeError>;
}

/**
 * Fills the missing slots of the range of blocks that begins with `from`. Each usable node takes the next piece as soon as it has an answer
 * to an earlier one, as many at a time as its limits allow, so each gets a share in proportion to its pace. What a node fails to return
 * is requested from the others.
 */
export async function fetchPieces(
  deps: PiecesDeps,
  from: number,
  slots: (OwnedBlock | undefined)[],
): Promise<FetchedBlocks> {
  const { nodes, clock } = deps;
  const queue = missingPieces(from, slots);
  const count = queue.reduce((sum, piece) => sum + piece.to - piece.from + 1, 0);
  const returned = new Map<ChainNode, number>();
  const beganAt = clock.nowMs();

  const store = (blocks: readonly OwnedBlock[], first: number) => {
    for (const [i, block] of blocks.entries()) slots[first - from + i] = block;
  };

  async function work(node: ChainNode): Promise<void> {
    for (let piece = take(deps, queue, node, count); piece; piece = take(deps, queue, node, count)) {
      const sentAt = clock.nowMs();
      const read = await node.source.blocks(piece.from, piece.to).catch((error: unknown) => {
        if (!isNodeError(error)) throw error;
        return error;
      });
      if (!Array.isArray(read)) {
        queue.unshift(refused(node, piece, read as NodeError));
        continue;
      }
      const raws = read as readonly RawBlock[];
      node.worked();
      const ms = clock.nowMs() - sentAt;
      node.pieceMs = Math.max(ms, averageWith(node.pieceMs, ms));
      returned.set(node, (returned.get(node) ?? 0) + raws.length);
      const { good, rest } = divided(deps, node, piece, raws);
      store(good, piece.from);
      if (rest) queue.unshift(rest);
    }
  }

  const canServe = () => queue.some((piece) => nodes.some((node) => suits(deps, node, piece)));
  while (canServe()) {
    const most = Math.max(...nodes.map(({ blocks }) => blocks.limits.concurrency));
    // Turn by turn, so that no node takes all pieces of a short range.
    const turns = Array.from({ length: most }, (_, turn) =>
      nodes.filter((node) => turn < node.blocks.limits.concurrency),
    );
    await Promise.all(turns.flat().map(work));
  }
  for (const [node, blocks] of returned)
    node.blocksPerMs = averageWith(node.blocksPerMs, blocks / Math.max(1, clock.nowMs() - beganAt));
  queue.sort((one, other) => one.from - other.from);
  for (const { untraced } of queue) store(untraced, Number(untraced[0]?.raw.block.number ?? 0));
  const missing = slots.indexOf(undefined);
  const first = queue.find(({ from: start, to }) => start <= from + missing && from + missing <= to);
  return { slots, tried: (missing < 0 ? null : first?.tried) ?? new Map() };
}

function missingPieces(from: number, slots: readonly (OwnedBlock | undefined)[]): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < slots.length; i++) {
    if (slots[i]) continue;
    const start = i;
    while (i + 1 < slots.length && !slots[i + 1]) i++;
    pieces.push({ from: from + start, to: from + i, tried: new Map(), untraced: [] });
  }
  return pieces;
}

/** True if the node may return the first block of the piece, apart from its call trees. */
const canRead = (node: ChainNode, { from, tried }: Piece): boolean =>
  node.isUsable && !tried.has(node) && node.has(from);

/** True if the node should be asked for the piece: it has its call trees, or no other node that can be asked has them. */
function suits({ nodes }: PiecesDeps, node: ChainNode, piece: Piece): boolean {
  if (!canRead(node, piece)) return false;
  if (node.traces(piece.from)) return true;
  const isBetter = (other: ChainNode) => canRead(other, piece) && other.traces(piece.from);
  // What it would return without call trees is there already.
  return piece.untraced.length === 0 && !nodes.some(isBetter);
}

/** Takes a part of the first piece that suits the node out of the queue; null if there is none. */
function take(deps: PiecesDeps, queue: Piece[], node: ChainNode, count: number): Piece | null {
  const at = queue.findIndex((piece) => suits(deps, node, piece));
  const piece = queue[at];
  if (!piece || isTooSlow(deps, queue, node, piece)) return null;
  const calls = CALLS_PER_BLOCK + Number(node.source.tracing.isOn);
  const perRequest = Math.max(1, Math.floor(node.blocks.limits.batchSize / calls));
  const size = Math.min(perRequest, Math.ceil(count / deps.nodes.length));
  const to = Math.min(piece.to, piece.from + size - 1, node.head ?? Number.POSITIVE_INFINITY);
  const { tried, untraced } = piece;
  const rest = { from: to + 1, to: piece.to, tried, untraced: untraced.slice(to + 1 - piece.from) };
  queue.splice(at, 1, ...(to < piece.to ? [rest] : []));
  return { from: piece.from, to, tried, untraced: untraced.slice(0, to + 1 - piece.from) };
}

/** True if the other nodes, which may be busy with one request each, would fetch all that is left before this node has answered one. */
function isTooSlow(deps: PiecesDeps, queue: readonly Piece[], node: ChainNode, piece: Piece): boolean {
  const others = deps.nodes.filter((other) => other !== node && suits(deps, other, piece));
  const pace = others.reduce((sum, { blocksPerMs }) => sum + blocksPerMs, 0);
  if (pace === 0) return false;
  const left = queue.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const quickestMs = Math.min(...others.map(({ pieceMs }) => pieceMs));
  if (node.pieceMs <= quickestMs + left / pace) return false;
  node.pieceMs *= FORGETTING;
  return true;
}

/** The piece for the other nodes. */
function refused(node: ChainNode, piece: Piece, error: NodeError): Piece {
  if (error instanceof TracesRefused) {
    if (!error.isPassing) node.lacksTraces(piece.from);
  } else if (error instanceof BlockUnavailable) node.lacks(piece.from);
  else node.failed(error);
  return { ...piece, tried: new Map([...piece.tried, [node, error]]) };
}

interface DividedPiece {
  readonly good: readonly OwnedBlock[];
  /** What another node should be asked for; null if there is nothing. */
  readonly rest: Piece | null;
}

/** Divides what a node returned at the first block without call trees that another node may have. */
function divided(deps: PiecesDeps, node: ChainNode, piece: Piece, raws: readonly RawBlock[]): DividedPiece {
  const { from, to, tried } = piece;
  const owned = raws.map((raw) => ({ raw, node }));
  for (const { block, traceFailure } of raws)
    if (traceFailure && !traceFailure.isPassing) node.lacksTraces(Number(block.number));
  const untracedAt = deps.mayLackTraces ? raws.findIndex(isUntraced) : -1;
  if (untracedAt >= 0) {
    const { traceFailure, block } = raws[untracedAt] as RawBlock;
    const number = Number(block.number);
    const error = new TracesRefused(traceFailure?.reason ?? `${node.name} does not provide call trees`);
    const rest = { from: number, to, tried: new Map([...tried, [node, error]]), untraced: owned.slice(untracedAt) };
    if (deps.nodes.some((other) => canRead(other, rest) && other.traces(number)))
      return { good: owned.slice(0, untracedAt), rest };
  }
  const next = from + raws.length;
  // The node is asked again, and then gives the reason.
  return { good: owned, rest: next > to ? null : { from: next, to, tried: new Map(), untraced: [] } };
}

export const isUntraced = ({ traces }: RawBlock): boolean => traces === null;
