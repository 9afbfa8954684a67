import { z } from "zod";
import { messageOf } from "../../core/errors/errors.ts";
import { createChanges, requestQuery, type SupergraphSource } from "./source.ts";

export interface UplinkSettings {
  readonly graphRef: string;
  readonly key: string;
  readonly urls: readonly string[];
}

const QUERY = `query Supergraph($apiKey: String!, $ref: String!, $ifAfterId: ID) {
  routerConfig(apiKey: $apiKey, ref: $ref, ifAfterId: $ifAfterId) {
    __typename
    ... on RouterConfigResult { id supergraphSDL minDelaySeconds }
    ... on Unchanged { id minDelaySeconds }
    ... on FetchError { code message }
  }
}`;

const answerSchema = z.object({
  data: z.object({
    routerConfig: z.discriminatedUnion("__typename", [
      z.object({
        __typename: z.literal("RouterConfigResult"),
        id: z.string(),
        supergraphSDL: z.string(),
        minDelaySeconds: z.number(),
      }),
      z.object({ __typename: z.literal("Unchanged"), minDelaySeconds: z.number() }),
      z.object({ __typename: z.literal("FetchError"), code: z.string(), message: z.string() }),
    ]),
  }),
});
/** What Uplink has returned without an error. */
type RouterConfig = Exclude<
  z.infer<typeof answerSchema>["data"]["routerConfig"],
  { readonly __typename: "FetchError" }
>;

/** A supergraph of Apollo Uplink. If one of its URLs fails, the next one is asked. */
export function createUplinkSource({ graphRef, key, urls }: UplinkSettings): SupergraphSource {
  const changed = createChanges();
  let ifAfterId: string | null = null;
  let minPauseMs = 0;
  const ask = async (url: string, signal: AbortSignal): Promise<RouterConfig> => {
    const where = `Uplink at ${new URL(url).origin}`;
    const query = { query: QUERY, variables: { apiKey: key, ref: graphRef, ifAfterId } };
    const { status, answer } = await requestQuery(where, url, query, signal);
    const parsed = answerSchema.safeParse(answer);
    if (!parsed.success) throw new Error(`${where} answers with HTTP ${status} and no configuration`);
    const { routerConfig } = parsed.data.data;
    if (routerConfig.__typename === "FetchError")
      throw new Error(`${where} answers ${routerConfig.code}: ${routerConfig.message}`);
    return routerConfig;
  };
  return {
    get minPauseMs() {
      return minPauseMs;
    },
    async load(signal) {
      const reasons: string[] = [];
      for (const url of urls) {
        try {
          const answer = await ask(url, signal);
          minPauseMs = answer.minDelaySeconds * 1_000;
          if (answer.__typename === "Unchanged") return null;
          ifAfterId = answer.id;
          return changed(answer.supergraphSDL);
        } catch (error) {
          signal.throwIfAborted();
          reasons.push(messageOf(error));
        }
      }
      throw new Error(reasons.join("; "));
    },
  };
}
