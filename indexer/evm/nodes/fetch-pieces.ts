import { BlockUnavailable } from "../../shared/node/lagging-node.ts";
import type { NodeError } from "../../shared/several-nodes/chain-node.ts";
import * as pieces from "../../shared/several-nodes/fetch-pieces.ts";
import { TracesRefused } from "../fetch/call-traces.ts";
import type { RawBlock } from "../wire/blocks.ts";
import type { EvmNode } from "./evm-node.ts";

/** Calls for a block: the block and its receipts. Its call trees take one more. */
const CALLS_PER_BLOCK = 2;

export type OwnedBlock = pieces.OwnedBlock<EvmNode, RawBlock>;

/** The blocks of `incomplete` lack their call trees. */
type Piece = pieces.Piece<EvmNode, RawBlock>;

interface PiecesDeps extends Pick<pieces.PiecesDeps<EvmNode, RawBlock>, "nodes" | "clock"> {
  /** True if blocks without call trees are used if no node has these. */
  readonly mayLackTraces: boolean;
}

/** Fetches blocks with their call trees from the nodes that have them. */
export function fetchPieces(deps: PiecesDeps, from: number, slots: (OwnedBlock | undefined)[]) {
  const { nodes, clock } = deps;
  return pieces.fetchPieces<EvmNode, RawBlock>(
    {
      nodes,
      clock,
      read: (node, first, last) => node.source.blocks(first, last),
      concurrency: ({ blocks }) => blocks.limits.concurrency,
      blocksPerRequest: ({ blocks, source }) =>
        Math.max(1, Math.floor(blocks.limits.batchSize / (CALLS_PER_BLOCK + Number(source.tracing.isOn)))),
      suits: (node, piece) => suits(deps, node, piece),
      refused,
      divided: (node, piece, raws) => divided(deps, node, piece, raws),
    },
    from,
    slots,
  );
}

/** True if the node should be asked for the piece: it has its call trees, or no other node that can be asked has them. */
function suits({ nodes }: PiecesDeps, node: EvmNode, piece: Piece): boolean {
  if (!pieces.canRead(node, piece)) return false;
  if (node.calls.traces(piece.from)) return true;
  const isBetter = (other: EvmNode) => pieces.canRead(other, piece) && other.calls.traces(piece.from);
  // What it would return without call trees is there already.
  return piece.incomplete.length === 0 && !nodes.some(isBetter);
}

function refused(node: EvmNode, piece: Piece, error: NodeError): void {
  if (error instanceof TracesRefused) {
    if (!error.isPassing) node.calls.lacks(piece.from, node.head);
  } else if (error instanceof BlockUnavailable) node.lacks(piece.from);
  else node.failed(error);
}

/** Divides what a node returned at the first block without call trees that another node may have. */
function divided(
  deps: PiecesDeps,
  node: EvmNode,
  piece: Piece,
  raws: readonly RawBlock[],
): pieces.DividedPiece<EvmNode, RawBlock> {
  for (const { block, traceFailure } of raws)
    if (traceFailure && !traceFailure.isPassing) node.calls.lacks(Number(block.number), node.head);
  const untracedAt = deps.mayLackTraces ? raws.findIndex(isUntraced) : -1;
  if (untracedAt >= 0) {
    const { to, tried } = piece;
    const { traceFailure, block } = raws[untracedAt] as RawBlock;
    const number = Number(block.number);
    const error = new TracesRefused(traceFailure?.reason ?? `${node.name} does not provide call trees`);
    const owned = raws.map((raw) => ({ raw, node }));
    const rest = { from: number, to, tried: new Map([...tried, [node, error]]), incomplete: owned.slice(untracedAt) };
    if (deps.nodes.some((other) => pieces.canRead(other, rest) && other.calls.traces(number)))
      return { good: owned.slice(0, untracedAt), rest };
  }
  return pieces.complete(node, piece, raws);
}

export const isUntraced = ({ traces }: RawBlock): boolean => traces === null;
