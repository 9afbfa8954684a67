import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex, RpcTransaction } from "viem";
import { isEvmChain, type RecordedEvmChain } from "../../../recordings/manifest.ts";
import type { Recording } from "../../../recordings/recording.ts";

/** A log in a node's JSON. */
export interface NodeLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly logIndex: Hex;
}

/** A frame of callTracer in a node's JSON. */
export interface NodeFrame {
  readonly type: string;
  readonly from: Hex;
  readonly to?: Hex;
  readonly value?: Hex;
  readonly gas: Hex;
  readonly gasUsed: Hex;
  readonly input?: Hex;
  readonly output?: Hex;
  readonly error?: string;
  /** The text of `Error(string)`, as the node decodes it. */
  readonly revertReason?: string;
  readonly calls?: readonly NodeFrame[];
}

export interface NodeReceipt {
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly cumulativeGasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: readonly NodeLog[];
}

/** The answers of a node to the three calls with which an indexer reads a block. */
export interface NodeBlock {
  readonly block: {
    readonly number: Hex;
    readonly hash: Hex;
    readonly timestamp: Hex;
    readonly gasUsed: Hex;
    readonly blockExtraData?: Hex;
    readonly transactions: readonly RpcTransaction[];
  };
  readonly receipts: readonly NodeReceipt[];
  readonly traces: readonly { readonly result: NodeFrame }[];
}

/** Contracts of an EVM chain whose events have a special meaning for the indexer. Addresses are lower case. */
export interface ChainContracts {
  readonly chainId: number;
  readonly messengers: readonly string[];
  readonly wrappedNativeTokens: readonly string[];
}

/** One EVM chain of a recording. */
export interface RecordedChain extends ChainContracts {
  /** `c` for the C-Chain, `l1` for the L1. */
  readonly name: "c" | "l1";
  readonly recorded: RecordedEvmChain;
  readonly blocks: readonly NodeBlock[];
  /**
   * Kind of each contract, such as `erc20Rebase`, by lower-case address. The kinds come from the file `evm-<name>.json` of the
   * recording.
   */
  readonly contractKinds: ReadonlyMap<string, string>;
}

/** Content of the file `evm-<name>.json` of a recording. */
interface ContractsFile {
  readonly messenger: string;
  readonly contracts: readonly { readonly address: string; readonly kind: string }[];
}

/** Some recordings have no contracts. */
const NO_CONTRACTS: ContractsFile = { messenger: `0x${"0".repeat(40)}`, contracts: [] };

/** Reads the complete C-Chain (`c`) or L1 (`l1`) of a recording. */
export function recordedChain(recording: Recording, name: "c" | "l1"): RecordedChain {
  const path = join(recording.folder, `evm-${name}.json`);
  const contractsFile: ContractsFile = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : NO_CONTRACTS;
  const recorded = recording.manifest.chains.filter(isEvmChain).find(({ alias }) => alias.toLowerCase() === name);
  if (!recorded) throw new Error(`the recording has no chain ${name}`);
  const ask = <Result>(method: string, ...params: unknown[]): Result => {
    const answer = recording.answer(recorded.rpcPath, method, params);
    if (answer) return JSON.parse(answer.text) as Result;
    throw new Error(`the recording has no answer to ${method} ${JSON.stringify(params)}`);
  };
  const blocks = Array.from({ length: recorded.height + 1 }, (_, number): NodeBlock => {
    const hex = `0x${number.toString(16)}`;
    return {
      block: ask("eth_getBlockByNumber", hex, true),
      receipts: ask("eth_getBlockReceipts", hex),
      // A node refuses to trace the genesis block, which has no transactions.
      traces: number === 0 ? [] : ask("debug_traceBlockByNumber", hex, { tracer: "callTracer" }),
    };
  });
  return {
    name,
    chainId: recorded.evmChainId,
    recorded,
    blocks,
    messengers: [contractsFile.messenger],
    wrappedNativeTokens: contractsFile.contracts
      .filter(({ kind }) => kind === "wrappedNative")
      .map(({ address }) => address),
    contractKinds: new Map(contractsFile.contracts.map(({ address, kind }) => [address, kind])),
  };
}
