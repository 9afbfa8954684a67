/** The path of the graph, in the gateway and in subgraphs that run alone. */
export const GRAPHQL_PATH = "/graphql";

/** The path of the list of schemas that the gateway publishes, and of their folder. */
export const SCHEMA_PATH = "/schema";

/** True for a request target with the path of the graph, also with a slash at its end. */
export function isGraphPath(url = ""): boolean {
  const below = pathBelow(GRAPHQL_PATH, url);
  return below === "" || below === "/";
}

/** The name of the published schema that a request target names; empty for the list of them. Null for other targets. */
export function schemaNameOf(url = ""): string | null {
  const name = pathBelow(SCHEMA_PATH, url)?.slice(1) ?? null;
  return name?.includes("/") ? null : name;
}

/** True for a request target that the gateway answers. */
export function isGatewayPath(url = ""): boolean {
  return isGraphPath(url) || schemaNameOf(url) !== null;
}

/**
 * What follows a path in a request target, without its query: empty, or beginning with a slash. Null if the target has another path. A proxy may
 * send the target as a URL (RFC 9112, 3.2.2).
 */
function pathBelow(path: string, url: string): string | null {
  if (url.startsWith(path)) return /^((?:\/[^?]*)?)(?:\?|$)/.exec(url.slice(path.length))?.[1] ?? null;
  return !url.startsWith("/") && URL.canParse(url) ? pathBelow(path, new URL(url).pathname) : null;
}
