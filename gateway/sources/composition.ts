import { readFile } from "node:fs/promises";
import { execute, parse } from "graphql";
import type { GraphSettings } from "../../core/config/settings/graph.ts";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { GRAPHQL_PATH } from "../../core/http/graph-path.ts";
import { composeInThread } from "../composition/compose-in-thread.ts";
import { isLocal, type Subgraph } from "../plan/subgraph.ts";
import { requestQuery, type SupergraphSource } from "./source.ts";

type OtherSubgraph = GraphSettings["subgraphs"][number];

/** Composes Moraine's own subgraphs with those of other teams, whenever the SDL of one of them has changed. */
export function createCompositionSource(own: readonly Subgraph[], others: readonly OtherSubgraph[]): SupergraphSource {
  let last: { readonly text: string; readonly failure: Error | null } | null = null;
  return {
    async load(signal) {
      const subgraphs = await Promise.all([
        ...own.map(async (subgraph) => ({
          name: subgraph.name,
          url: isLocal(subgraph) ? ownUrl(subgraph.name) : subgraph.url,
          sdl: isLocal(subgraph)
            ? await localSdl(subgraph.schema)
            : await remoteSdl(subgraph.name, subgraph.url, signal),
        })),
        ...others.map(async ({ name, url = "", schema }) => ({
          name,
          url,
          sdl: schema === undefined ? await remoteSdl(name, url, signal) : await readFile(schema, "utf8"),
        })),
      ]);
      const text = JSON.stringify(subgraphs);
      if (text === last?.text) {
        if (last.failure) throw last.failure;
        return null;
      }
      try {
        const supergraph = await composeInThread(subgraphs, signal);
        last = { text, failure: null };
        return supergraph;
      } catch (error) {
        signal.throwIfAborted();
        const failure = new Error(messageOf(error));
        last = { text, failure };
        throw failure;
      }
    },
  };
}

/** As in the committed supergraph: where the subgraph listens if it runs in a process of its own. Empty for one that is not Moraine's. */
function ownUrl(name: string): string {
  const { port } = SUBGRAPHS.find((subgraph) => subgraph.name === name) ?? {};
  return port === undefined ? "" : `http://127.0.0.1:${port}${GRAPHQL_PATH}`;
}

const QUERY = "{ _service { sdl } }";

async function localSdl(schema: Parameters<typeof execute>[0]["schema"]): Promise<string> {
  return sdlOf(await execute({ schema, document: parse(QUERY), contextValue: {} })) ?? "";
}

async function remoteSdl(name: string, url: string, signal: AbortSignal): Promise<string> {
  const where = `the subgraph ${name}`;
  const { status, answer } = await requestQuery(where, url, { query: QUERY }, signal);
  const sdl = sdlOf(answer);
  if (sdl === null) throw new Error(`${where} answers with HTTP ${status} and no SDL`);
  return sdl;
}

function sdlOf(answer: unknown): string | null {
  const { data } = Object(answer) as { readonly data?: { readonly _service?: { readonly sdl?: unknown } } };
  const sdl = data?._service?.sdl;
  return typeof sdl === "string" ? sdl : null;
}
