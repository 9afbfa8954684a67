import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { isContractError } from "../../../core/networks/contract-errors.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import {
  createEvmNodeClient,
  type NodeAnswer,
  type NodeCall,
  type QuarantinedChainNodes,
} from "../../shared/evm-node/evm-node-client.ts";

const CONNECTIONS = 4;
const MAX_RESPONSE_BYTES = 1 << 20;

/** A call of a contract's method that returns a number, in the state after a block. */
export interface ContractCall {
  readonly chainId: string;
  readonly blockHash: string;
  readonly contract: string;
  /** Method and arguments as `0x` hex. */
  readonly input: string;
}

/** Calls contracts on the nodes of chains. */
export interface ContractNode extends AsyncDisposable {
  /**
   * Returns the number that each call returns, in the same order. Null if the node does not answer in time, does not have the state of
   * the block, or if the contract returns no number. It never rejects.
   */
  numbers(calls: readonly ContractCall[]): Promise<(bigint | null)[]>;
}

export interface ContractNodeDeps {
  readonly chains: Chains;
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
  /** Default: no node is quarantined. */
  readonly quarantined?: QuarantinedChainNodes;
}

/** Connects on the first call. */
export function createContractNode({ chains, requestTimeoutMs, logger, quarantined }: ContractNodeDeps): ContractNode {
  const client = createEvmNodeClient({
    requestTimeoutMs,
    connections: CONNECTIONS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    quarantined,
  });
  return {
    async numbers(calls) {
      const found = calls.map((): bigint | null => null);
      const readChain = async (chain: EvmChainConfig): Promise<void> => {
        const chainId = String(chain.chainId);
        const indexes = [...calls.keys()].filter((index) => calls[index]?.chainId === chainId);
        const answers = await client.send(
          chain,
          indexes.map((index) => nodeCallOf(calls[index] as ContractCall)),
        );
        const failure = answers.find(isNodeFailure);
        if (failure)
          logger.debug({ failure: reasonOf(failure), chainId }, "the node did not answer calls of contracts");
        for (const [at, index] of indexes.entries()) found[index] = numberIn(answers[at]);
      };
      const configured = [...new Set(calls.map(({ chainId }) => chains.get(chainId)))];
      await Promise.all(configured.map((chain) => chain && readChain(chain)));
      return found;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** True if the node could not call the contract; false for what the contract answered, also for an error of its code. */
const isNodeFailure = (answer: NodeAnswer | Failure): boolean =>
  answer instanceof Failure || (Boolean(answer.error) && !isContractError(answer.error ?? {}));

const reasonOf = (answer: NodeAnswer | Failure): string =>
  answer instanceof Failure ? answer.message : `error ${Number(answer.error?.code)}`;

/** The block is named by hash, because after a reorganisation the node may have another block at the same height. */
function nodeCallOf({ contract, input, blockHash }: ContractCall): NodeCall {
  return { method: "eth_call", params: [{ to: contract, data: input }, { blockHash }] };
}

/** A word of 32 bytes. A contract without the method returns nothing or reverts. */
const WORD = /^0x[0-9a-f]{64}$/i;

function numberIn(answer: NodeAnswer | Failure | undefined): bigint | null {
  if (answer === undefined || answer instanceof Failure) return null;
  const { result } = answer;
  return typeof result === "string" && WORD.test(result) ? BigInt(result) : null;
}
