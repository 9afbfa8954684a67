import type { ExecutionResult, GraphQLError } from "graphql";
import { onceAtATime } from "../../core/async/once.ts";
import type { EvmChainConfig } from "../../core/config/config-schema.ts";
import { codeOf, Failure, graphQLErrorOf } from "../../core/errors/errors.ts";
import type { GraphClient, Operation } from "../../core/graph/graph-client.ts";
import { descriptorShortage } from "../../core/processes/descriptors.ts";
import { loadOperation } from "../graph/operation.ts";
import { type Asked, LateAnswer, runWithin } from "../graph/run-within.ts";

/**
 * Resolves if the graph answers and this process has file descriptors left. Otherwise rejects with `UNAVAILABLE`; the message names the
 * part that does not answer.
 */
export type CheckHealth = (requestId: string) => Promise<void>;

/** A part of the service that is asked when the graph has not answered. */
interface Part {
  readonly name: string;
  readonly run: Operation;
  /** True if the error is an answer of the part. */
  isAnswer(error: GraphQLError): boolean;
}

const NOT_IN_LIST = "the list of allowed operations of the gateway does not contain the operation HealthCheck";

/** The parts are asked with a shorter limit, so that the whole check takes at most a third longer than its limit. */
const PART_LIMIT_SHARE = 1 / 3;

/**
 * Reads one of the EVM chains, for which the gateway, the evm subgraph and the database have to answer. If that fails or takes longer
 * than the limit, asks the first two without the third, to name the part at fault. All callers share one check at a time.
 */
export function createHealthCheck(
  graph: GraphClient,
  chains: readonly Pick<EvmChainConfig, "chainId">[],
  limitMs: number,
): CheckHealth {
  const prepare = (name: string): Operation => graph.prepare(loadOperation(name).document);
  const readChain = prepare("evm-check");
  const ids = chains.map(({ chainId }) => String(chainId));
  const readOne = createReadOne(ids, prepare("health-check"), readChain);
  const parts: readonly Part[] = [
    { name: "the gateway", run: prepare("gateway-check"), isAnswer: isNotAllowed },
    {
      name: "the evm subgraph",
      // No chain has this id, which the subgraph knows without the database.
      run: (_, info) => readChain({ chainId: "0" }, info),
      isAnswer: (error) => codeOf(error) === "NOT_FOUND" || isNotAllowed(error),
    },
  ];
  const failureOf = async ({ name, run, isAnswer }: Part, requestId: string): Promise<Failure | null> => {
    const error = await errorOf(run, requestId, { part: name, limitMs: limitMs * PART_LIMIT_SHARE });
    return error && !isAnswer(error) ? named(name, error) : null;
  };
  const check: CheckHealth = async (requestId) => {
    const shortage = await descriptorShortage();
    if (shortage) throw new Failure("UNAVAILABLE", shortage);
    const database = "the database";
    const error = await errorOf(readOne, requestId, { part: database, limitMs });
    if (!error) return;
    if (isNotAllowed(error)) throw new Failure("UNAVAILABLE", NOT_IN_LIST, error);
    const failures = await Promise.all(parts.map((part) => failureOf(part, requestId)));
    throw failures.find((failure) => failure !== null) ?? named(database, error);
  };
  return onceAtATime(check);
}

/** So many chains are read before a check fails. They may be in several databases, or on several workers of Citus. */
const MAX_CHAINS_READ = 8;

/**
 * Reads one of the chains of the settings: with hundreds of chains, the list takes a hundred times as long. If this chain cannot be read, the
 * next ones are, because the databases of single chains may be away while the rest is served. A chain whose database hangs fails one check, and
 * is the last one in the next. Reads all chains if there is none in the settings, if the graph has other settings, or if the gateway does not allow
 * to read one, and from then on one of those that it has read.
 */
function createReadOne(chainIds: readonly string[], readAll: Operation, readChain: Operation): Operation {
  let ids = chainIds.slice(0, MAX_CHAINS_READ);
  const readKnown: Operation = async (_, info) => {
    let result: ExecutionResult = {};
    for (const chainId of ids) {
      const others = ids.filter((id) => id !== chainId);
      ids = [...others, chainId];
      result = await readChain({ chainId }, info);
      const [error] = result.errors ?? [];
      if (!error) ids = [chainId, ...others];
      if (!error || isUnreadable(error) || info.work.reason) break;
    }
    return result;
  };
  return async (_, info) => {
    if (ids.length > 0) {
      const result = await readKnown({}, info);
      if (!result.errors?.some(isUnreadable)) return result;
    }
    const result = await readAll({}, info);
    const list = result.data?.["body"] as { readonly chains: readonly { readonly chainId: string }[] } | undefined;
    ids = list?.chains.slice(0, MAX_CHAINS_READ).map(({ chainId }) => chainId) ?? [];
    return result;
  };
}

/** True if the chain is not in the settings any more, or the gateway does not allow to read it alone. */
const isUnreadable = (error: GraphQLError): boolean => codeOf(error) === "NOT_FOUND" || isNotAllowed(error);

/** True if the gateway has refused an operation because its list of allowed operations does not contain it. */
const isNotAllowed = (error: GraphQLError): boolean => codeOf(error) === "FORBIDDEN";

/** The first error of an operation; undefined if there is none. */
async function errorOf(run: Operation, requestId: string, asked: Asked): Promise<GraphQLError | undefined> {
  try {
    const { errors } = await runWithin(asked, requestId, (info) => run({}, info));
    return errors?.[0];
  } catch (thrown) {
    return graphQLErrorOf(thrown);
  }
}

/** The failure of a part: that it was late, or that it does not answer as it should. The cause is only logged. */
function named(part: string, error: GraphQLError): Failure {
  return error instanceof LateAnswer ? error : new Failure("UNAVAILABLE", `${part} does not answer correctly`, error);
}
