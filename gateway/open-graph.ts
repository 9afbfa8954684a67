import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createConcurrencyLimit } from "../core/async/concurrency-limit.ts";
import { ConfigError } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { GraphSettings } from "../core/config/settings/graph.ts";
import { messageOf } from "../core/errors/errors.ts";
import { createGraph, type Graph, type GraphOptions } from "./graph.ts";
import type { Supergraph } from "./graph-version.ts";
import type { Subgraph } from "./plan/subgraph.ts";
import { createSource } from "./sources/create-source.ts";
import type { SupergraphSource } from "./sources/source.ts";
import { subgraphsOf } from "./sources/subgraphs.ts";
import { createSupergraphState, type SupergraphState, type SupergraphStatus } from "./supergraph-state.ts";

/** The graph of the setting `graph`, which is kept up to date. Disposing it closes the graph. */
export interface OpenGraph extends AsyncDisposable {
  readonly graph: Graph;
  /** Begins to read the supergraph again at the interval of the setting. Call it when all operations are prepared. */
  startPolling(): void;
  /** Reads the supergraph again, by this setting. Rejects if it cannot be read or used; then nothing has changed. */
  reload(settings: GraphSettings): Promise<void>;
  /** The supergraph that is answered. Null if the setting names no supergraph and no subgraphs. */
  status(): SupergraphStatus | null;
}

export interface OpenGraphOptions extends Omit<GraphOptions, "supergraph" | "subgraphs" | "config"> {
  readonly config: GraphOptions["config"] & Pick<Config, "graph">;
  /** Moraine's own subgraphs, in this process or with the URLs of the settings. */
  readonly own: readonly Subgraph[];
  /** The supergraph of Moraine's own subgraphs. Null if not all of them are given. */
  readonly ownSupergraph: string | null;
  /** The graph that this one replaces. Null at a start. */
  readonly earlier?: Earlier | null;
  /** Ends the wait for the first supergraph, and the reading of later ones. */
  readonly signal: AbortSignal;
}

export interface Earlier {
  readonly settings: GraphSettings;
  /** The SDL that it answers. */
  readonly supergraph: string;
}

/** Pause after a failure, in milliseconds, unless the setting has a shorter one. */
const RETRY_MS = 10_000;

/**
 * Opens the graph. If the subgraphs of other teams cannot be composed, it begins with Moraine's own. If the setting names a supergraph, rejects
 * with `ConfigError` if it is a file that cannot be used; at a start, waits for any other source until there is a supergraph.
 */
export async function openGraph(options: OpenGraphOptions): Promise<OpenGraph> {
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const state = createSupergraphState(options.logger);
  try {
    const first = await firstGraph({ ...options, signal }, state);
    return {
      graph: first.graph,
      ...createReloader({ ...options, ...first, signal }, state),
      status: state.status,
      async [Symbol.asyncDispose]() {
        closing.abort();
        state[Symbol.dispose]();
        await first.graph[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    state[Symbol.dispose]();
    throw error;
  }
}

interface FirstGraph {
  readonly graph: Graph;
  /** Null if the setting names none. */
  readonly source: SupergraphSource | null;
}

async function firstGraph(options: OpenGraphOptions, state: SupergraphState): Promise<FirstGraph> {
  const { own, ownSupergraph, earlier, signal, config } = options;
  const graphOf = (supergraph: string) => createGraph({ ...options, ...withSubgraphs(supergraph, own, config.graph) });
  for (;;) {
    const source = createSource(config.graph, own);
    if (!source) return { graph: graphOf(ownSupergraph ?? noGraph()), source };
    try {
      const graph = graphOf((await source.load(signal)) ?? "");
      state.used(graph.current.hash);
      return { graph, source };
    } catch (error) {
      signal.throwIfAborted();
      const fallback = fallbackOf(options);
      if (fallback === null && (source.isLocal || earlier)) throw new ConfigError(`setting graph: ${messageOf(error)}`);
      state.failed(error);
      // A new source, because this one may have returned a supergraph that cannot be used, and would not return it again.
      if (fallback !== null) return { graph: graphOf(fallback), source: createSource(config.graph, own) };
      await sleep(pauseMs(source, config.graph, RETRY_MS), null, { signal });
    }
  }
}

/** What is answered if the source of the setting fails. Null if there is nothing. */
function fallbackOf({ ownSupergraph, earlier, config }: OpenGraphOptions): string | null {
  if (earlier && isDeepStrictEqual(earlier.settings, config.graph)) return earlier.supergraph;
  return earlier || config.graph.supergraph !== undefined ? null : ownSupergraph;
}

function noGraph(): never {
  throw new ConfigError(
    "the gateway has no graph: give --supergraph, or the setting graph.supergraph or graph.subgraphs",
  );
}

function withSubgraphs(supergraph: string, own: readonly Subgraph[], { subgraphs }: GraphSettings): Supergraph {
  return { supergraph, subgraphs: subgraphsOf(supergraph, own, subgraphs) };
}

/** At most `longestMs`, unless the source wants to be left alone for longer. */
function pauseMs({ minPauseMs = 0 }: SupergraphSource, { pollIntervalMs }: GraphSettings, longestMs: number): number {
  return Math.max(Math.min(pollIntervalMs || longestMs, longestMs), minPauseMs);
}

type ReloaderOptions = OpenGraphOptions & FirstGraph;

/** Replaces the supergraph of a graph when its source has another one. */
function createReloader(options: ReloaderOptions, state: SupergraphState): Pick<OpenGraph, "startPolling" | "reload"> {
  const { graph, own, ownSupergraph, signal } = options;
  let { source } = options;
  let settings = options.config.graph;
  /** Why a supergraph that was read is not used. Its source does not return it again. */
  let refused: unknown = null;
  const use = async (supergraph: string, by: GraphSettings): Promise<void> => {
    await graph.replace(withSubgraphs(supergraph, own, by));
    refused = null;
  };
  const read = async (from: SupergraphSource): Promise<void> => {
    const supergraph = await from.load(signal);
    if (supergraph === null) {
      if (refused) throw refused;
      return state.read();
    }
    try {
      await use(supergraph, settings);
    } catch (error) {
      refused = error;
      throw error;
    }
    state.used(graph.current.hash);
  };
  const change = async (next: GraphSettings): Promise<void> => {
    const from = createSource(next, own);
    await use((from ? await from.load(signal) : ownSupergraph) ?? noGraph(), next);
    source = from;
    settings = next;
    if (source) state.used(graph.current.hash);
    else state.forget();
  };
  const poll = async (): Promise<void> => {
    try {
      if (source) await read(source);
    } catch (error) {
      if (!signal.aborted) state.failed(error);
      throw error;
    }
  };
  /** Runs one task at a time. */
  const inTurn = createConcurrencyLimit(1);
  let timer: NodeJS.Timeout | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  const schedule = (): void => {
    clearTimeout(timer);
    if (!source || settings.pollIntervalMs === 0 || signal.aborted) return;
    const ms = pauseMs(source, settings, state.isFailing() ? RETRY_MS : settings.pollIntervalMs);
    timer = setTimeout(() => void inTurn(poll).then(schedule, schedule), ms).unref();
  };
  const reload = (next: GraphSettings): Promise<void> =>
    inTurn(async () => {
      if (isDeepStrictEqual(next, settings)) await poll();
      else await change(next);
    }).finally(schedule);
  return { startPolling: schedule, reload };
}
