import { type AbiParameter, decodeAbiParameters, erc20Abi, getAddress, type Log, parseEventLogs } from "viem";
import { isEvmChain, type RecordedEvmChain } from "../../../recordings/manifest.ts";
import type { Recording } from "../../../recordings/recording.ts";

/** The expected block of E14. */
export type ExpectedBlock = Readonly<Record<string, string | number>>;

/** The expected transfer of E9, with plain addresses in place of the objects `from`, `to` and `erc20Token`. */
export interface ExpectedTransfer {
  readonly blockNumber: string;
  readonly blockTimestamp: number;
  readonly blockHash: string;
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  readonly logIndex: number;
  readonly value: string;
  readonly token: string;
}

/**
 * The node's data of a chain in the form of the REST specification, converted by viem instead of our code. Lists are newest
 * first.
 */
export interface Oracle {
  readonly chain: RecordedEvmChain;
  readonly blocks: readonly ExpectedBlock[];
  readonly transfers: readonly ExpectedTransfer[];
  /** Every sender and recipient of a token, lower case, most transfers first. */
  readonly wallets: readonly string[];
  transfersOf(wallet: string): ExpectedTransfer[];
  /** The contract's metadata if it answers by the standard; null otherwise. */
  token(address: string): { readonly name: string; readonly symbol: string; readonly decimals: number } | null;
}

interface NodeReceipt {
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: Log[];
}

interface NodeBlock {
  readonly hash: string;
  readonly number: string;
  readonly timestamp: string;
  readonly transactions: readonly unknown[];
  readonly [field: string]: unknown;
}

/** Reads one EVM chain of a recording, named by EVM chain id. */
export function createOracle(recording: Recording, chainId: number): Oracle {
  const chain = recording.manifest.chains.filter(isEvmChain).find((one) => one.evmChainId === chainId);
  if (!chain) throw new Error(`no chain ${chainId} in the recording`);
  const blocks: ExpectedBlock[] = [];
  const transfers: ExpectedTransfer[] = [];
  let count = 0;
  for (let number = 0; number <= chain.height; number++) {
    const hex = `0x${number.toString(16)}`;
    const block = answered<NodeBlock>(recording, chain, "eth_getBlockByNumber", [hex, true]);
    const receipts = answered<NodeReceipt[]>(recording, chain, "eth_getBlockReceipts", [hex]);
    count += block.transactions.length;
    blocks.unshift(expectedBlock(chainId, block, receipts, count));
    for (const receipt of receipts) for (const log of receipt.logs) transfers.unshift(...expectedTransfers(block, log));
  }
  const transfersOf = (wallet: string) =>
    transfers.filter(({ from, to }) => [from, to].some((side) => side.toLowerCase() === wallet.toLowerCase()));
  const sides = transfers.flatMap(({ from, to }) => [from.toLowerCase(), to.toLowerCase()]);
  const wallets = [...new Set(sides)].sort((a, b) => transfersOf(b).length - transfersOf(a).length);
  return { chain, blocks, transfers, wallets, transfersOf, token: (address) => tokenAt(recording, chain, address) };
}

const decimal = (hex: unknown): string => BigInt(String(hex ?? "0x0")).toString();

function expectedBlock(
  chainId: number,
  block: NodeBlock,
  receipts: readonly NodeReceipt[],
  cumulativeTransactions: number,
): ExpectedBlock {
  const fees = receipts.map(({ gasUsed, effectiveGasPrice }) => BigInt(gasUsed) * BigInt(effectiveGasPrice));
  return {
    chainId: String(chainId),
    blockNumber: decimal(block.number),
    blockTimestamp: Number(block.timestamp),
    blockHash: block.hash,
    txCount: block.transactions.length,
    baseFee: decimal(block["baseFeePerGas"]),
    gasUsed: decimal(block["gasUsed"]),
    gasLimit: decimal(block["gasLimit"]),
    gasCost: decimal(block["blockGasCost"]),
    parentHash: String(block["parentHash"]),
    feesSpent: fees.reduce((sum, fee) => sum + fee, 0n).toString(),
    cumulativeTransactions: String(cumulativeTransactions),
  };
}

/**
 * None or one. viem also accepts a fourth topic and data after the value: those are not ERC-20 transfers.
 */
function expectedTransfers(block: NodeBlock, log: Log): ExpectedTransfer[] {
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: [log] })
    .filter(() => log.data.length === 66 && log.topics.length === 3)
    .map(({ args }) => ({
      blockNumber: decimal(block.number),
      blockTimestamp: Number(block.timestamp),
      blockHash: block.hash,
      txHash: String(log.transactionHash),
      from: args.from,
      to: args.to,
      logIndex: Number(log.logIndex),
      value: args.value.toString(),
      token: getAddress(log.address),
    }));
}

function tokenAt(recording: Recording, chain: RecordedEvmChain, address: string) {
  const call = (data: string, type: string): unknown => {
    const params = [{ to: address.toLowerCase(), data }, "latest"];
    const result = answered<`0x${string}`>(recording, chain, "eth_call", params);
    return decodeAbiParameters([{ type } as AbiParameter], result)[0];
  };
  try {
    const texts = [call("0x06fdde03", "string"), call("0x95d89b41", "string")].map(String);
    if (texts.some((text) => !/^[\x20-\x7e]{0,256}$/.test(text))) return null;
    const decimals = Number(call("0x313ce567", "uint8"));
    return decimals > 255 ? null : { name: texts[0] as string, symbol: texts[1] as string, decimals };
  } catch {
    return null;
  }
}

function answered<Result>(recording: Recording, chain: RecordedEvmChain, method: string, params: unknown): Result {
  const answer = recording.answer(chain.rpcPath, method, params);
  if (answer?.kind !== "result") throw new Error(`not recorded: ${method} ${JSON.stringify(params)}`);
  return JSON.parse(answer.text) as Result;
}
