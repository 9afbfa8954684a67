import { createChanges, request, type SupergraphSource } from "./source.ts";

/** A supergraph at a URL. It is asked whether it has changed, by its entity tag. */
export function createHttpSource(
  where: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): SupergraphSource {
  const changed = createChanges();
  let etag: string | null = null;
  return {
    async load(signal) {
      const sent = new Headers(headers);
      if (etag !== null) sent.set("if-none-match", etag);
      const answer = await request(where, url, { headers: sent, redirect: "manual" }, signal);
      if (answer.status === 304) return null;
      const text = await textOf(where, url, answer, signal);
      etag = answer.headers.get("etag");
      return changed(text);
    },
  };
}

/** The CDN of Hive (https://the-guild.dev/graphql/hive/docs/high-availability-cdn). */
export function createHiveSource({ url, key }: { readonly url: string; readonly key: string }): SupergraphSource {
  const at = url.endsWith("/supergraph") ? url : `${url.replace(/\/$/, "")}/supergraph`;
  return createHttpSource("the CDN of Hive", at, { "x-hive-cdn-key": key });
}

/** The text of an answer. A server that it leads to is not sent the headers, which may contain a key. */
async function textOf(
  where: string,
  url: string,
  { status, headers, text }: Awaited<ReturnType<typeof request>>,
  signal: AbortSignal,
): Promise<string> {
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null) {
    const next = await request(where, new URL(location, url).href, { redirect: "error" }, signal);
    return textOf(where, url, next, signal);
  }
  if (status < 200 || status > 299) throw new Error(`${where} answers with HTTP ${status}`);
  return text;
}
