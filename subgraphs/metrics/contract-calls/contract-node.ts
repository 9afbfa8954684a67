import { Agent, type Dispatcher, request } from "undici";
import type { Chains } from "../../../core/chains.ts";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import type { Logger } from "../../../core/logger.ts";

/** Connections to each node: so many batches run at once, for all requests together. */
const CONNECTIONS = 4;
const MAX_CALLS = 100;
const MAX_RESPONSE_BYTES = 1 << 20;

/** A call of a contract that returns a number, after a block. */
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
}

/** Connects on the first call. */
export function createContractNode({ chains, requestTimeoutMs, logger }: ContractNodeDeps): ContractNode {
  const agent = new Agent({ connections: CONNECTIONS, maxResponseSize: MAX_RESPONSE_BYTES });
  const runBatch = async (chainId: string, calls: readonly ContractCall[], signal: AbortSignal) => {
    const chain = chains.get(chainId);
    try {
      return chain ? await callContracts(agent, chain, calls, signal) : new Map<number, bigint>();
    } catch (error) {
      logger.debug({ err: error, chainId }, "the node did not answer calls of contracts");
      return new Map<number, bigint>();
    }
  };
  return {
    async numbers(calls) {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const found = calls.map((): bigint | null => null);
      const batches = batchesOf(calls).map(async ({ chainId, indexes }) => {
        const numbers = await runBatch(
          chainId,
          indexes.map((index) => calls[index] as ContractCall),
          signal,
        );
        for (const [at, number] of numbers) found[indexes[at] as number] = number;
      });
      await Promise.all(batches);
      return found;
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

interface Batch {
  readonly chainId: string;
  /** Indexes of its calls. */
  readonly indexes: number[];
}

/** At most `MAX_CALLS` calls of one chain in each. */
function batchesOf(calls: readonly ContractCall[]): Batch[] {
  const batches: Batch[] = [];
  const open = new Map<string, Batch>();
  for (const [index, { chainId }] of calls.entries()) {
    let batch = open.get(chainId);
    if (!batch || batch.indexes.length === MAX_CALLS) {
      batch = { chainId, indexes: [] };
      batches.push(batch);
      open.set(chainId, batch);
    }
    batch.indexes.push(index);
  }
  return batches;
}

/** The numbers by index of the call. The block is named by hash: after a reorganisation the node may have another one. */
async function callContracts(
  dispatcher: Dispatcher,
  { nodeUrl, nodeHeaders }: EvmChainConfig,
  calls: readonly ContractCall[],
  signal: AbortSignal,
): Promise<Map<number, bigint>> {
  const requests = calls.map(({ contract, input, blockHash }, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_call",
    params: [{ to: contract, data: input }, { blockHash }],
  }));
  const { body } = await request(nodeUrl, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...nodeHeaders },
    body: JSON.stringify(requests),
    signal,
  });
  const answers: unknown = JSON.parse(await body.text());
  const numbers = new Map<number, bigint>();
  for (const answer of [answers].flat()) {
    const number = numberIn(answer);
    if (number && number.id >= 0 && number.id < calls.length) numbers.set(number.id, number.value);
  }
  return numbers;
}

/** A word of 32 bytes. A contract without the method returns nothing or reverts. */
const WORD = /^0x[0-9a-f]{64}$/i;

function numberIn(answer: unknown): { id: number; value: bigint } | null {
  if (typeof answer !== "object" || answer === null || !("id" in answer) || !("result" in answer)) return null;
  const { id, result } = answer;
  if (typeof id !== "number" || typeof result !== "string" || !WORD.test(result)) return null;
  return { id, value: BigInt(result) };
}
