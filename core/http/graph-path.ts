/** The path of the graph, in the gateway and in subgraphs that run alone. */
export const GRAPHQL_PATH = "/graphql";

/** True for a request target with the path of the graph, also with a slash at its end. A proxy may send the target as a URL (RFC 9112, 3.2.2). */
export function isGraphPath(url = ""): boolean {
  if (url.startsWith(GRAPHQL_PATH)) return /^\/?(\?|$)/.test(url.slice(GRAPHQL_PATH.length));
  return !url.startsWith("/") && URL.canParse(url) && isGraphPath(new URL(url).pathname);
}
