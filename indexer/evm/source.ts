import { BadUpstreamData, NodeUnavailable, RpcError } from "../errors.ts";
import type { NodeClient } from "../node-client.ts";
import { verifyBlock } from "./verify.ts";
import { bytes, integer, type RawBlock, type WireBlock, type WireReceipt } from "./wire.ts";

const METHOD_NOT_FOUND = -32601;

/** Number and hash (hex without `0x`) of a block. */
export interface BlockRef {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** An EVM chain as one node shows it. */
export interface EvmSource {
  /** EVM chain id that the node serves. */
  chainId(): Promise<number>;
  /** The node's latest block. */
  head(): Promise<BlockRef>;
  /** The node's block at a height; null when it has none there (above its head, or thrown away). */
  blockRef(number: number): Promise<BlockRef | null>;
  /** Blocks `from` to `to`, both included, each checked in itself. Throws `BadUpstreamData` or `NodeUnavailable`. */
  blocks(from: number, to: number): Promise<RawBlock[]>;
}

const hexNumber = (number: number): string => `0x${number.toString(16)}`;

function refOf(block: WireBlock): BlockRef {
  return {
    number: integer(block.number, "block number"),
    hash: bytes(block.hash, "block hash", 32),
    parentHash: bytes(block.parentHash, "parent hash", 32),
  };
}

/** Asks by `eth_getBlockByNumber` and `eth_getBlockReceipts`, or by single receipts on a node without the latter. */
export function createEvmSource(node: NodeClient): EvmSource {
  let hasBlockReceipts = true;

  async function receiptsOneByOne(block: WireBlock | null): Promise<WireReceipt[] | null> {
    const calls = (block?.transactions ?? []).map(({ hash }) => ({
      method: "eth_getTransactionReceipt",
      params: [hash],
    }));
    return (await node.callAll(calls)).map((answer) => resultOf(answer, "a receipt") as WireReceipt);
  }

  async function blocksWithReceipts(from: number, to: number): Promise<RawBlock[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const calls = numbers.flatMap((number) => [
      { method: "eth_getBlockByNumber", params: [hexNumber(number), true] },
      ...(hasBlockReceipts ? [{ method: "eth_getBlockReceipts", params: [hexNumber(number)] }] : []),
    ]);
    const answers = await node.callAll(calls);
    if (hasBlockReceipts && answers.some((answer) => answer instanceof RpcError && answer.code === METHOD_NOT_FOUND)) {
      hasBlockReceipts = false;
      return blocksWithReceipts(from, to);
    }
    const stride = hasBlockReceipts ? 2 : 1;
    return Promise.all(
      numbers.map(async (number, i) => {
        const block = resultOf(answers[i * stride], `block ${number}`) as WireBlock | null;
        const receipts = hasBlockReceipts
          ? resultOf(answers[i * stride + 1], `the receipts of block ${number}`)
          : await receiptsOneByOne(block);
        return verifyBlock(number, block, receipts as WireReceipt[] | null);
      }),
    );
  }

  /** For what every node answers that is well: the chain waits while it does not. */
  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await node.call(method, params);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new NodeUnavailable(`the node refuses ${method}: ${error.message} (${error.code})`);
    }
  }

  return {
    chainId: async () => integer(await ask("eth_chainId", []), "eth_chainId"),
    async head() {
      const block = (await ask("eth_getBlockByNumber", ["latest", false])) as WireBlock | null;
      if (!block) throw new NodeUnavailable("the node knows no latest block");
      return refOf(block);
    },
    async blockRef(number) {
      const [answer] = await node.callAll([{ method: "eth_getBlockByNumber", params: [hexNumber(number), false] }]);
      // Nodes answer a height above their head by null or by an error (`cannot query unfinalized data`).
      const block = answer instanceof RpcError ? null : (answer?.result as WireBlock | null);
      if (!block) return null;
      const ref = refOf(block);
      if (ref.number !== number)
        throw new BadUpstreamData(`asked for block ${number}, the node answered block ${ref.number}`);
      return ref;
    },
    blocks: blocksWithReceipts,
  };
}

function resultOf(answer: RpcError | { readonly result: unknown } | undefined, what: string): unknown {
  if (answer instanceof RpcError)
    throw new BadUpstreamData(`the node refuses ${what}: ${answer.message} (${answer.code})`);
  return answer?.result ?? null;
}
