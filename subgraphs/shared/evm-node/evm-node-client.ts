import { Agent, type Dispatcher, request } from "undici";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { createRedaction, type Redact } from "../../../core/errors/redaction.ts";
import { parseJson } from "../../../core/formats/json.ts";
import { isContractError } from "../../../core/networks/contract-errors.ts";
import { type ConfiguredNode, nodesOf } from "../../../core/networks/nodes.ts";
import { createNodeTurns } from "../nodes/node-turns.ts";
import type { QuarantinedNodes } from "../nodes/quarantined-nodes.ts";

const MAX_CALLS = 100;

export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node answers to a call: a result or an error. */
export interface NodeAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

export type QuarantinedChainNodes = QuarantinedNodes<EvmChainConfig>;

/** Calls the nodes of EVM chains over JSON-RPC. */
export interface EvmNodeClient extends AsyncDisposable {
  /**
   * Returns the answer to each call, in the same order. Sends up to 100 calls in one HTTP request, or one request for each
   * call if the node refuses batches. In place of a missing answer, the list has a `Failure`: `UNAVAILABLE` if the HTTP
   * request fails or the node is overloaded (429 or 5xx), else `UPSTREAM_FAILED`. If the chain has several nodes, a call that one of them
   * fails to answer, or answers with an error that is not the contract's, is sent to the next one; if all fail, the first answer counts.
   * Quarantined nodes are not asked. The promise never rejects.
   */
  send(chain: EvmChainConfig, calls: readonly NodeCall[]): Promise<(NodeAnswer | Failure)[]>;
}

export interface EvmNodeClientOptions {
  readonly requestTimeoutMs: number;
  /** Maximum number of connections to each node. All callers share them. Each runs one HTTP request at a time. */
  readonly connections: number;
  /** Maximum size of a response of a node. A larger response counts as a failed request. */
  readonly maxResponseBytes: number;
  /** Asked only for chains with several nodes. Default: no node is quarantined. */
  readonly quarantined?: QuarantinedChainNodes | undefined;
}

/** Opens no connection before the first call. Failures never contain the URL of a node. */
export function createEvmNodeClient(options: EvmNodeClientOptions): EvmNodeClient {
  const { connections, maxResponseBytes, requestTimeoutMs, quarantined = async () => new Set() } = options;
  const agent = new Agent({ connections, maxResponseSize: maxResponseBytes });
  const redactions = new Map<EvmChainConfig, Redact>();
  const redactionOf = (chain: EvmChainConfig): Redact => {
    const redact = redactions.get(chain) ?? createRedaction(...nodesOf(chain));
    redactions.set(chain, redact);
    return redact;
  };
  const turns = createNodeTurns();

  /** The nodes to ask, first those that have answered lately. */
  async function inTurn(chain: EvmChainConfig): Promise<readonly ConfiguredNode[]> {
    const nodes = nodesOf(chain);
    return nodes.length === 1 ? nodes : turns.order(nodes, await quarantined(chain));
  }

  async function sendTo(target: Target, calls: readonly NodeCall[]): Promise<(NodeAnswer | Failure)[]> {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const batches: Promise<(NodeAnswer | Failure)[]>[] = [];
    for (let from = 0; from < calls.length; from += MAX_CALLS)
      batches.push(sendBatch(agent, target, calls.slice(from, from + MAX_CALLS), signal));
    const answers = (await Promise.all(batches)).flat();
    if (answers.some((answer) => answer instanceof Failure)) turns.failed(target.node);
    return answers;
  }

  return {
    async send(chain, calls) {
      const { chainId } = chain;
      const answers: (NodeAnswer | Failure)[] = calls.map(
        () => new Failure("UNAVAILABLE", `all nodes of chain ${chainId} are quarantined`),
      );
      let open = [...calls.keys()];
      for (const [turn, node] of (await inTurn(chain)).entries()) {
        const asked = open;
        const given = await sendTo(
          { node, chainId },
          asked.map((at) => calls[at] as NodeCall),
        );
        given.forEach((answer, i) => {
          const at = asked[i] as number;
          if (turn === 0 || !mayDiffer(answer)) answers[at] = answer;
        });
        open = asked.filter((_, i) => mayDiffer(given[i]));
        if (open.length === 0) break;
      }
      const redact = redactionOf(chain);
      return answers.map((answer) => withRedactedError(answer, redact));
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** True if another node may have a better answer: this one failed, or refused the call. */
function mayDiffer(answer: NodeAnswer | Failure | undefined): boolean {
  return !answer || answer instanceof Failure || (Boolean(answer.error) && !isContractError(answer.error ?? {}));
}

/** A node to send requests to. */
interface Target {
  readonly node: ConfiguredNode;
  readonly chainId: number;
}

function withRedactedError(answer: NodeAnswer | Failure, redact: Redact): NodeAnswer | Failure {
  if (answer instanceof Failure || !answer.error) return answer;
  return { ...answer, error: { ...answer.error, message: redact(String(answer.error.message)) } };
}

async function sendBatch(
  dispatcher: Dispatcher,
  target: Target,
  calls: readonly NodeCall[],
  signal: AbortSignal,
): Promise<(NodeAnswer | Failure)[]> {
  const node = `the node of chain ${target.chainId}`;
  try {
    const { statusCode, answer } = await post(dispatcher, target.node, calls, signal);
    if (Array.isArray(answer)) return answersInOrder(answer, calls, node);
    if (isAnswer(answer) && calls.length === 1) return [answer];
    const isOverloaded = statusCode === 429 || statusCode >= 500;
    // A node that refuses batches returns one error for the whole batch. Then each call is sent alone.
    if (isAnswer(answer) && !isOverloaded)
      return (await Promise.all(calls.map((call) => sendBatch(dispatcher, target, [call], signal)))).flat();
    const message = `${node} responded with HTTP ${statusCode} and no result`;
    return calls.map(() => new Failure(isOverloaded ? "UNAVAILABLE" : "UPSTREAM_FAILED", message));
  } catch (error) {
    return calls.map(() => new Failure("UNAVAILABLE", `${node} does not respond`, error));
  }
}

/** Sends a single call as an object, not as a batch, because some nodes refuse batches. */
async function post(
  dispatcher: Dispatcher,
  { url, headers }: ConfiguredNode,
  calls: readonly NodeCall[],
  signal: AbortSignal,
): Promise<{ readonly statusCode: number; readonly answer: unknown }> {
  const requests = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
  const { statusCode, body } = await request(url, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
    signal,
  });
  return { statusCode, answer: parseJson(await body.text()) };
}

/** A node may answer the calls of a batch in any order. */
function answersInOrder(
  answers: readonly unknown[],
  calls: readonly NodeCall[],
  node: string,
): (NodeAnswer | Failure)[] {
  const byId = new Map(answers.filter(isAnswer).map((answer) => [answer.id, answer]));
  return calls.map(
    ({ method }, id) => byId.get(id) ?? new Failure("UPSTREAM_FAILED", `${node} returned no answer to ${method}`),
  );
}

function isAnswer(answer: unknown): answer is NodeAnswer & { readonly id?: unknown } {
  return typeof answer === "object" && answer !== null && ("result" in answer || "error" in answer);
}
