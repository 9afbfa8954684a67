import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
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
import { createSupergraphState, type SupergraphStatus } from "./supergraph-state.ts";

/** The graph of the setting `graph`, which is kept up to date. Disposing it closes the graph. */
export interface OpenGraph extends AsyncDisposable {
  readonly graph: Graph;
  /** Begins to read the supergraph again at the times of the setting. Call it when all operations are prepared. */
  follow(): void;
  /** Reads the supergraph again, by this setting. Rejects if it cannot be read or used; then nothing has changed. */
  reload(settings: GraphSettings): Promise<void>;
  /** What is answered. Null if the setting names no supergraph and no subgraphs. */
  status(): SupergraphStatus | null;
}

export interface OpenGraphOptions extends Omit<GraphOptions, "supergraph" | "subgraphs" | "config"> {
  readonly config: GraphOptions["config"] & Pick<Config, "graph">;
  /** Moraine's own subgraphs, in this process or with the URLs of the settings. */
  readonly own: readonly Subgraph[];
  /** The supergraph of Moraine's own subgraphs. Null if not all of them are given. */
  readonly ownSupergraph: string | null;
  /** What the graph that this one replaces answers, by its setting. Null at a start. */
  readonly earlier?: Earlier | null;
  /** Ends the wait for the first supergraph, and the reading of later ones. */
  readonly signal: AbortSignal;
}

export interface Earlier {
  readonly settings: GraphSettings;
  readonly supergraph: string;
}

/** Pause after a failure, in milliseconds, unless the setting has a shorter one. */
const RETRY_MS = 10_000;

/**
 * Opens the graph. If the subgraphs of other teams cannot be composed, it begins with Moraine's own. If the setting names a supergraph, rejects
 * with `ConfigError` if it is a file that cannot be used; at a start, waits for any other source until there is a supergraph.
 */
export async function openGraph(options: OpenGraphOptions): Promise<OpenGraph> {
  const { own, ownSupergraph, earlier = null, signal, ...graphOptions } = options;
  const { logger } = options;
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);
  const state = createSupergraphState(logger);
  let settings = options.config.graph;
  let source = createSource(settings, own);
  const withSubgraphs = (supergraph: string, { subgraphs }: GraphSettings): Supergraph => ({
    supergraph,
    subgraphs: subgraphsOf(supergraph, own, subgraphs),
  });
  const graphOf = (supergraph: string) => createGraph({ ...graphOptions, ...withSubgraphs(supergraph, settings) });
  const fallback = earlier && isDeepStrictEqual(earlier.settings, settings) ? earlier.supergraph : ownSupergraph;
  const mayFallBack = earlier ? fallback === earlier.supergraph : settings.supergraph === undefined;

  const open = async (): Promise<Graph> => {
    if (!source) return graphOf(ownSupergraph ?? noGraph());
    for (;;) {
      try {
        const opened = graphOf((await source.load(ended)) ?? "");
        state.used(opened.current.hash);
        return opened;
      } catch (error) {
        ended.throwIfAborted();
        if (source.isLocal || (earlier && !mayFallBack)) throw new ConfigError(`setting graph: ${messageOf(error)}`);
        state.failed(error);
        const lastPauseMs = pauseMs(RETRY_MS);
        // It may have returned a supergraph that cannot be used, and would not return it again.
        source = createSource(settings, own) as SupergraphSource;
        if (mayFallBack && fallback !== null) return graphOf(fallback);
        await sleep(lastPauseMs, null, { signal: ended });
      }
    }
  };
  const pauseMs = (standardMs: number): number =>
    Math.max(Math.min(settings.pollIntervalMs || standardMs, standardMs), source?.minPauseMs ?? 0);
  const graph = await open();

  /** A supergraph that was read and cannot be used. Its source does not return it again. */
  let refused: unknown = null;
  const load = async (from: SupergraphSource | null, by: GraphSettings): Promise<void> => {
    const supergraph = from ? await from.load(ended) : ownSupergraph;
    if (supergraph === null) {
      if (refused) throw refused;
      return;
    }
    try {
      await graph.replace(withSubgraphs(supergraph, by));
      refused = null;
      state.used(graph.current.hash);
    } catch (error) {
      if (from === source) refused = error;
      throw error;
    }
  };
  const update = async (): Promise<void> => {
    try {
      await load(source, settings);
      state.read();
    } catch (error) {
      if (!ended.aborted) state.failed(error);
      throw error;
    }
  };
  const inTurn = createTurns();
  let timer: NodeJS.Timeout | undefined;
  const follow = (): void => {
    clearTimeout(timer);
    if (!source || settings.pollIntervalMs === 0 || ended.aborted) return;
    const ms = pauseMs(state.isFailing() ? RETRY_MS : settings.pollIntervalMs);
    timer = setTimeout(() => void inTurn(update).then(follow, follow), ms).unref();
  };
  return {
    graph,
    follow,
    reload: (next) =>
      inTurn(async () => {
        if (isDeepStrictEqual(next, settings)) return source ? update() : undefined;
        const from = createSource(next, own);
        await load(from, next);
        settings = next;
        source = from;
        refused = null;
        if (source) state.read();
        else state.forget();
      }).finally(follow),
    status: state.status,
    async [Symbol.asyncDispose]() {
      closing.abort();
      clearTimeout(timer);
      state[Symbol.dispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

function noGraph(): never {
  throw new ConfigError(
    "the gateway has no graph: give --supergraph, or the setting graph.supergraph or graph.subgraphs",
  );
}

/** Runs tasks one after another. */
function createTurns(): (task: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}
