import { createHash } from "node:crypto";
import { TRANSFER_TOPIC } from "../../../indexer/evm/decode/event-topics.ts";
import { verifyBlock } from "../../../indexer/evm/fetch/verify-block.ts";
import { type RawBlock, type WireLog } from "../../../indexer/evm/wire/blocks.ts";
import { bloomOf } from "../../../indexer/evm/wire/bloom.ts";

/** The content of a synthetic block. */
export interface BlockContent {
  /** Contract (40 hex digits without `0x`) that emits an ERC-20 transfer in the block's only transaction. */
  readonly token?: string;
  /** Hash of that transaction, if it must be the same in several blocks. */
  readonly transactionHash?: string;
}

const hashOf = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`;
const address = (digit: string): string => `0x${digit.repeat(40)}`;
const hex = (number: number): string => `0x${number.toString(16)}`;

/**
 * A chain of blocks 0 to `length - 1` in a node's JSON. Chains with another `branch` have other blocks. With `from`, the
 * blocks of that chain below `fork` are shared.
 */
export function syntheticChain(
  branch: string,
  length: number,
  contentOf: (number: number) => BlockContent = () => ({}),
  { from = [], fork = 0 }: { readonly from?: readonly RawBlock[]; readonly fork?: number } = {},
): RawBlock[] {
  const blocks = from.slice(0, fork);
  for (let number = blocks.length; number < length; number++)
    blocks.push(
      syntheticBlock(branch, number, blocks[number - 1]?.block.hash ?? `0x${"0".repeat(64)}`, contentOf(number)),
    );
  return blocks;
}

function syntheticBlock(
  branch: string,
  number: number,
  parentHash: string,
  { token, transactionHash }: BlockContent,
): RawBlock {
  const hash = hashOf(`${branch} ${number} ${parentHash}`);
  const txHash = transactionHash ?? hashOf(`transaction ${hash}`);
  const place = { blockHash: hash, transactionHash: txHash, transactionIndex: "0x0" };
  const logs: WireLog[] = token ? [{ ...place, ...transferOf(token), logIndex: "0x0" }] : [];
  const transaction = {
    blockHash: hash,
    hash: txHash,
    transactionIndex: "0x0",
    from: address("a"),
    to: token ? `0x${token}` : address("b"),
    nonce: hex(number),
    value: "0x1",
    gas: "0x5208",
    gasPrice: "0x1",
    input: "0x",
  };
  const receipt = { ...place, status: "0x1", gasUsed: "0x5208", cumulativeGasUsed: "0x5208", logs };
  const isEmpty = !token && !transactionHash;
  const block = {
    number: hex(number),
    hash,
    parentHash,
    timestamp: hex(1_700_000_000 + number),
    gasUsed: isEmpty ? "0x0" : "0x5208",
    gasLimit: "0xe4e1c0",
    stateRoot: hashOf(`state ${hash}`),
    receiptsRoot: hashOf(`receipts ${hash}`),
    logsBloom: bloomOf(logs),
    miner: address("0"),
    size: "0x200",
    transactions: isEmpty ? [] : [transaction],
  };
  return verifyBlock(number, block, isEmpty ? [] : [receipt]);
}

function transferOf(token: string): Pick<WireLog, "address" | "topics" | "data"> {
  const topics = [TRANSFER_TOPIC, "a".repeat(40).padStart(64, "0"), "b".repeat(40).padStart(64, "0")];
  return { address: `0x${token}`, topics: topics.map((topic) => `0x${topic}`), data: `0x${"1".padStart(64, "0")}` };
}
