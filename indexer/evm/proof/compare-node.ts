import { setTimeout as sleep } from "node:timers/promises";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import type { Answer, RpcCall } from "../../shared/node/rpc-answers.ts";
import type { Difference } from "../../shared/verification.ts";
import { contractAnswer } from "../contract-calls/contract-answer.ts";
import type { EvmSource } from "../fetch/source.ts";
import { type Compared, NOTHING_REPEATED } from "./difference.ts";
import type { HolderBalance, NftOwner } from "./sampled-tokens.ts";

/** Number and hash (hex without `0x`) of an indexed block. */
export interface IndexedBlock {
  readonly number: number;
  readonly hash: string;
}

/** The index has rolled blocks back meanwhile, so there is nothing to compare. */
export class BlocksReplaced extends Error {}

/** How often a block that differs is requested from the node: it may reorganise, or be one of several nodes behind an address. */
const ATTEMPTS = 5;

export interface BlockComparison {
  readonly source: Pick<EvmSource, "blockRef">;
  /** The hash of the indexed block at a height; null if there is none. */
  readonly indexedHash: (number: number) => Promise<string | null>;
  /** Blocks that differed before. Without an answer of the node, they still differ. */
  readonly differing: readonly number[];
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

/**
 * Compares the hashes of indexed blocks with the node's. A block that the node does not return is not compared. A difference counts only if
 * it is there in each of five attempts. Throws `BlocksReplaced` if the indexed block changes meanwhile.
 */
export async function compareHashes(deps: BlockComparison, blocks: readonly IndexedBlock[]): Promise<Compared> {
  const differences: Difference[] = [];
  const different: number[] = [];
  let checked = 0;
  for (const block of blocks) {
    const other = await persistentHash(deps, block);
    if (other === undefined && deps.differing.includes(block.number)) different.push(block.number);
    if (other === undefined) continue;
    checked++;
    if (other === block.hash) continue;
    different.push(block.number);
    differences.push({
      comparedWith: "NODE",
      table: "evm_blocks",
      key: `block_number=${block.number}`,
      indexed: `block_hash=0x${block.hash}`,
      expected: `block_hash=0x${other}`,
    });
  }
  const repeated = { ...NOTHING_REPEATED, hashes: different };
  return { checked, differing: different.length, differences, repeated };
}

/** The hash of the node's block; another one than the indexed only if each attempt returns another one. Undefined without an answer. */
async function persistentHash(deps: BlockComparison, { number, hash }: IndexedBlock): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const found = await hashOnNode(deps.source, number);
    if (found === undefined || found === hash || attempt === ATTEMPTS) return found;
    await sleep(deps.pauseMs, undefined, { signal: deps.signal });
    if ((await deps.indexedHash(number)) !== hash) throw new BlocksReplaced();
  }
}

async function hashOnNode(source: Pick<EvmSource, "blockRef">, number: number): Promise<string | undefined> {
  try {
    return (await source.blockRef(number))?.hash;
  } catch (error) {
    if (error instanceof NodeUnavailable || error instanceof BadUpstreamData) return undefined;
    throw error;
  }
}

/** balanceOf(address) and ownerOf(uint256) */
const BALANCE_OF = "0x70a08231";
const OWNER_OF = "0x6352211e";
const WORD_DIGITS = 64;

/** A holder or an NFT for which the node's contract returns something else than what is indexed. */
export type Answered<Asked> = Asked & {
  /** Decimal balance, or address as hex without `0x`. */
  readonly onNode: string;
};

/** What contracts return after a block. */
export interface ContractAnswers {
  /** Number of answers that are comparable. */
  readonly checked: number;
  readonly holders: readonly Answered<HolderBalance>[];
  readonly nfts: readonly Answered<NftOwner>[];
  /** What the node did not answer, for example because it has no state of the block. */
  readonly unanswered: { readonly holders: readonly HolderBalance[]; readonly nfts: readonly NftOwner[] };
}

/**
 * Calls `balanceOf` and `ownerOf` after a block, and returns where the answers are not what is indexed. What a contract answers with an
 * error, or with too few bytes, is left out.
 */
export async function askContracts(
  node: Pick<NodeClient, "callAll">,
  head: IndexedBlock,
  holders: readonly HolderBalance[],
  nfts: readonly NftOwner[],
): Promise<ContractAnswers> {
  const call = (token: string, data: string): RpcCall => ({
    method: "eth_call",
    params: [{ to: `0x${token}`, data }, { blockHash: `0x${head.hash}` }],
  });
  const calls = [
    ...holders.map(({ token, address }) => call(token, BALANCE_OF + address.padStart(WORD_DIGITS, "0"))),
    ...nfts.map(({ token, tokenId }) =>
      call(token, OWNER_OF + BigInt(tokenId).toString(16).padStart(WORD_DIGITS, "0")),
    ),
  ];
  const answers = calls.length === 0 ? [] : await answersOf(node, calls);
  const words = answers.map(firstWord);
  const different = <Asked>(
    asked: readonly Asked[],
    offset: number,
    indexed: (one: Asked) => string,
    read: (word: string) => string,
  ) =>
    asked.flatMap((one, i): Answered<Asked>[] => {
      const word = words[offset + i];
      return typeof word !== "string" || read(word) === indexed(one) ? [] : [{ ...one, onNode: read(word) }];
    });
  return {
    checked: words.filter((word) => typeof word === "string").length,
    holders: different(
      holders,
      0,
      ({ balance }) => balance,
      (word) => String(BigInt(`0x${word}`)),
    ),
    nfts: different(
      nfts,
      holders.length,
      ({ owner }) => owner,
      (word) => word.slice(-40),
    ),
    unanswered: {
      holders: holders.filter((_, i) => words[i] === undefined),
      nfts: nfts.filter((_, i) => words[holders.length + i] === undefined),
    },
  };
}

/** No answers if the node is not available. */
async function answersOf(node: Pick<NodeClient, "callAll">, calls: readonly RpcCall[]): Promise<readonly Answer[]> {
  try {
    return await node.callAll(calls);
  } catch (error) {
    if (error instanceof NodeUnavailable) return [];
    throw error;
  }
}

/** The first 32 bytes that the contract returned, as hex; null if it returned less, undefined if the node could not call it. */
function firstWord(answer: Answer): string | null | undefined {
  try {
    const read = contractAnswer(answer);
    const digits = "result" in read ? read.result.slice(2, 2 + WORD_DIGITS) : "";
    return digits.length === WORD_DIGITS ? digits.toLowerCase() : null;
  } catch (error) {
    if (error instanceof NodeUnavailable) return undefined;
    throw error;
  }
}
