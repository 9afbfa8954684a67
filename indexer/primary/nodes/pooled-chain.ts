import { formatId } from "../../../core/formats/id-text.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Clock } from "../../shared/clock.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { BlockUnavailable, NodeBehind } from "../../shared/node/lagging-node.ts";
import { createAgreedBlocks } from "../../shared/several-nodes/agreed-blocks.ts";
import { ask, askAll, isNodeError, type NodeError } from "../../shared/several-nodes/chain-node.ts";
import { createContradictions, type IndexedChain } from "../../shared/several-nodes/contradictions.ts";
import {
  canRead,
  complete,
  fetchPieces,
  type Piece,
  type PiecesDeps,
} from "../../shared/several-nodes/fetch-pieces.ts";
import { createNodeSet, type NodeSet } from "../../shared/several-nodes/node-set.ts";
import type { ContainerIndex, IndexedContainer } from "../fetch/container-index.ts";
import type { PrimarySource } from "../fetch/source.ts";
import { indexProblem } from "../identify/identify-chain.ts";
import type { ReadBlock } from "./chain-reader.ts";
import type { PrimaryNode } from "./primary-node.ts";

/** Blocks by height are one request each; so many of them are one piece. */
const BLOCKS_OF_PIECE = 16;
/** Pieces of blocks by height that a node gets at a time. */
const PIECES_AT_A_TIME = 2;

type PiecesOf<Answer> = PiecesDeps<PrimaryNode, ReadBlock<Answer>>;

export interface PooledChainDeps {
  readonly chain: PrimaryChain;
  /** At least two. */
  readonly nodes: readonly PrimaryNode[];
  /** The indexed blocks of the chain. */
  readonly indexed: IndexedChain;
  /** False if the indexes of P and X are not read. */
  readonly readsIndex: boolean;
  /** Checks that the node belongs to the network; if not, it is quarantined. Throws an error of the node. */
  readonly identify: (node: PrimaryNode) => Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One chain of a network, read from several nodes. What one node cannot answer, another one is asked for. */
export interface PooledChain {
  readonly set: NodeSet<PrimaryNode>;
  height(): Promise<number>;
  /** As `PrimarySource.blocks`. */
  blocks(from: number, to: number): Promise<readonly Uint8Array[]>;
  readonly containers: ContainerIndex;
  /** True if a node that can be used has the index. */
  hasIndex(): boolean;
  /**
   * The answer of the first node that has one; null if no node has. A node that does not have the API is passed over. Throws if no node
   * answers.
   */
  firstAnswer<Answer>(read: (node: PrimarySource) => Promise<Answer | null>): Promise<Answer | null>;
}

export function createPooledChain(deps: PooledChainDeps): PooledChain {
  const { chain, nodes, indexed, readsIndex, identify, clock, signal } = deps;
  const contradictions = createContradictions({ nodes, indexed, finalDepth: 0, clock, signal, format: formatId });
  const set = createNodeSet({ nodes, admit, clock, signal });
  const { usable, prepare, noAnswer } = set;
  /** Why the index of a node is not read. */
  const indexProblems = new Map<PrimaryNode, string>();
  let confirmedHeight = -1;

  async function admit(node: PrimaryNode): Promise<boolean> {
    const indexedHead = await indexed.head();
    const head = await ask(node, async ({ node: api, source }) => {
      await identify(node);
      const height = await source.height();
      indexProblems.delete(node);
      const problem =
        chain === "C" || !readsIndex ? null : await indexProblem(chain, api.containers[chain], height, indexedHead);
      if (problem !== null) indexProblems.set(node, problem);
      return height;
    });
    if (head === null || node.isQuarantined) return false;
    node.reported(head);
    node.admitted();
    await contradictions.compare(Math.max(0, Math.min(indexedHead, head)));
    return node.isUsable;
  }

  /** The highest height of which the node also returns the block. */
  async function height(): Promise<number> {
    await prepare();
    const heads = await askAll(usable(), ({ source }) => source.height(), deps);
    for (const { node, answer } of heads) node.reported(answer);
    for (const { node, answer: head } of heads.toSorted((one, other) => other.answer - one.answer)) {
      const isConfirmed = head <= confirmedHeight || (await ask(node, ({ source }) => source.blockRef(head))) !== null;
      if (isConfirmed) {
        confirmedHeight = Math.max(confirmedHeight, head);
        return head;
      }
      if (node.isUsable) node.failed(new NodeBehind(`it does not return block ${head}, which it reports as its head`));
    }
    throw noAnswer();
  }

  function refused(node: PrimaryNode, { from }: Piece<PrimaryNode, unknown>, error: NodeError): void {
    if (error instanceof NodeBehind || error instanceof BlockUnavailable) node.lacks(from);
    else node.failed(error);
  }

  /** Blocks on which the nodes agree, fetched in pieces. */
  const agreedOn = <Answer>(
    pieces: Pick<PiecesOf<Answer>, "read" | "concurrency" | "blocksPerRequest" | "suits" | "refused">,
    noBlocks: typeof noAnswer,
  ) =>
    createAgreedBlocks<PrimaryNode, ReadBlock<Answer>>({
      contradictions,
      indexed,
      linkOf: ({ link }) => link,
      noAnswer: noBlocks,
      fetch: (first, slots) => fetchPieces({ nodes, clock, divided: complete, ...pieces }, first, slots),
    });

  const agreedBlocks = agreedOn<Uint8Array>(
    {
      read: (node, from, to) => node.source.blocks(from, to),
      concurrency: () => PIECES_AT_A_TIME,
      blocksPerRequest: () => BLOCKS_OF_PIECE,
      suits: canRead,
      refused,
    },
    noAnswer,
  );

  const isIndexed = (node: PrimaryNode): boolean => !indexProblems.has(node);
  const agreedContainers = agreedOn<IndexedContainer>(
    {
      read: (node, from, to) => node.source.containers(from, to),
      concurrency: () => 1,
      // A node returns as many as fit into one answer.
      blocksPerRequest: () => Number.POSITIVE_INFINITY,
      suits: (node, piece) => isIndexed(node) && canRead(node, piece),
      refused(node, piece, error) {
        if (error instanceof NodeUnavailable && error.isMissing) indexProblems.set(node, error.message);
        else refused(node, piece, error);
      },
    },
    (tried = new Map(), number) => noAnswer(new Map([...problemsOfIndex(), ...tried]), number),
  );

  const problemsOfIndex = (): [PrimaryNode, NodeError][] =>
    usable().flatMap((node) => {
      const problem = indexProblems.get(node);
      return problem === undefined ? [] : [[node, new NodeUnavailable(problem)]];
    });

  const highest = () => Math.max(-1, ...usable().map((node) => (isIndexed(node) ? (node.head ?? -1) : -1)));

  /** The index of a node that can be asked although it is of no use, for the reason; null if another one is of use. */
  const uselessIndex = (): ContainerIndex | null =>
    usable().some(isIndexed) ? null : (usable()[0]?.node.containers[chain] ?? null);

  const containers: ContainerIndex = {
    async length() {
      await prepare();
      for (const node of usable().filter(isIndexed)) {
        const length = await ask(node, ({ node: api }) => api.containers[chain].length());
        if (length !== null) return length;
      }
      const useless = uselessIndex();
      if (useless) return useless.length();
      throw noAnswer();
    },
    async from(start, count) {
      await prepare();
      const useless = uselessIndex();
      if (useless) return useless.from(start, count);
      // The indexer does not ask for the height of the C-Chain.
      if (highest() <= start && chain === "C") await height();
      const to = Math.min(start + count, highest());
      return to <= start ? [] : (await agreedContainers.blocks(start + 1, to)).map(({ answer }) => answer);
    },
  };

  return {
    set,
    height,
    async blocks(from, to) {
      await prepare();
      return (await agreedBlocks.blocks(from, to)).map(({ answer }) => answer);
    },
    containers,
    hasIndex: () => usable().some(isIndexed),
    async firstAnswer(read) {
      await prepare();
      let missing: NodeUnavailable | null = null;
      let isAnswered = false;
      for (const node of usable())
        try {
          const answer = await read(node.node);
          if (answer !== null) return answer;
          isAnswered = true;
        } catch (error) {
          if (!isNodeError(error)) throw error;
          if (error instanceof NodeUnavailable && error.isMissing) missing ??= error;
          else node.failed(error);
        }
      if (isAnswered) return null;
      throw missing ?? noAnswer();
    },
  };
}
