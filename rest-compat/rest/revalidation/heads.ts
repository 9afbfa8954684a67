import type { GraphClient, RequestInfo } from "../../../core/graph/graph-client.ts";
import { currentRequestId } from "../../../core/observability/request-id.ts";
import { createSharedReads } from "../../../core/work/shared-reads.ts";
import type { Work } from "../../../core/work/work.ts";
import { loadOperation } from "../../graph/operation.ts";
import type { HeadKind } from "../../routes.ts";

/** The heads of the indexed chains, as texts that change with every indexed block. */
export interface Heads {
  /** The head for these variables. Null if the chain is unknown or named by its blockchain id, or if the graph does not answer. */
  read(kind: HeadKind, variables: Readonly<Record<string, unknown>>, work: Work): Promise<string | null>;
}

/** How long a head that was read is used. */
const CACHE_MS = 500;

type HeadsById = ReadonlyMap<string, string>;

interface CachedHeads {
  readonly readAtMs: number;
  readonly heads: HeadsById;
}

/** Reads the heads through the graph when a request needs them, at most twice a second. */
export function createHeads(graph: GraphClient, nowMs: () => number): Heads {
  const readers = { evm: evmReader(graph), primaryNetwork: primaryNetworkReader(graph) };
  const cache = new Map<HeadKind, CachedHeads>();
  const read = createSharedReads(async (kind: HeadKind, work): Promise<HeadsById> => {
    const readAtMs = nowMs();
    const heads = await readers[kind]({ requestId: currentRequestId() ?? "", work });
    // A read that was cancelled has no heads.
    if (!work.reason) cache.set(kind, { readAtMs, heads });
    return heads;
  });
  return {
    async read(kind, variables, work) {
      const known = cache.get(kind);
      const isFresh = known !== undefined && nowMs() - known.readAtMs < CACHE_MS;
      const heads = isFresh ? known.heads : await read(kind, work);
      const id = variables[kind === "evm" ? "chainId" : "network"];
      return heads.get(String(id)) ?? null;
    },
  };
}

type ReadHeads = (request: RequestInfo) => Promise<HeadsById>;

interface ChainsBody {
  readonly chains: readonly { chainId: string; indexing: { blockNumber: unknown } | null }[];
}

function evmReader(graph: GraphClient): ReadHeads {
  const run = graph.prepare(loadOperation("evm-heads").document);
  return async (request) => {
    const body = await bodyOf<ChainsBody>(run({}, request));
    const entries = (body?.chains ?? []).flatMap(({ chainId, indexing }) =>
      indexing ? [[chainId, String(indexing.blockNumber)] as const] : [],
    );
    return new Map(entries);
  };
}

interface NetworkBody {
  readonly network: string;
  readonly chains: readonly { blockNumber: unknown }[];
}

function primaryNetworkReader(graph: GraphClient): ReadHeads {
  const run = graph.prepare(loadOperation("primary-network-heads").document);
  return async (request) => {
    const body = await bodyOf<readonly NetworkBody[]>(run({}, request));
    const heads = new Map(
      (body ?? []).map(({ network, chains }) => [network, chains.map(({ blockNumber }) => blockNumber).join()]),
    );
    const fuji = heads.get("FUJI");
    return fuji === undefined ? heads : heads.set("TESTNET", fuji);
  };
}

/** Null if the operation fails: then the response is built as for other requests. */
async function bodyOf<Body>(result: ReturnType<ReturnType<GraphClient["prepare"]>>): Promise<Body | null> {
  try {
    const { data } = await result;
    return (data?.["body"] ?? null) as Body | null;
  } catch {
    return null;
  }
}
