/** The redirect target for a path that is not clean, as Go writes it. The paths of the node are mounted below `basePath`. */
export function redirectTarget(target: string, basePath = ""): string {
  const { host, query } = splitTarget(target);
  const path = basePath + encodedPath(cleanPath(decodedPath(target) ?? "/"));
  return `${host === null ? "" : `http://${host}`}${path}${query === "" ? "" : `?${query}`}`;
}

/** The decoded path of a request target; null if its percent-encoding is malformed. */
export function decodedPath(target: string): string | null {
  const { path } = splitTarget(target);
  try {
    return decodeURIComponent(path);
  } catch {
    // Go also decodes bytes that are not UTF-8. No path of ours has such bytes, so the path is unknown in either form.
    return /%(?![0-9a-f]{2})/i.test(path) ? null : path;
  }
}

/** Host, path and query of a request target, still percent-encoded. `host` is null if the target has none. */
export function splitTarget(target: string): { host: string | null; path: string; query: string } {
  const [, host = null, local = target] = /^https?:\/\/([^/?]*)(.*)$/is.exec(target) ?? [];
  const end = local.indexOf("?");
  const path = end < 0 ? local : local.slice(0, end);
  return { host, path: path || "/", query: end < 0 ? "" : local.slice(end + 1) };
}

/** The path without empty, `.` and `..` segments. A slash at the end is kept. */
export function cleanPath(path: string): string {
  const clean: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") clean.pop();
    else if (segment !== "" && segment !== ".") clean.push(segment);
  }
  return `/${clean.join("/")}${clean.length > 0 && path.endsWith("/") ? "/" : ""}`;
}

/** Percent-encodes a path as Go does. */
function encodedPath(path: string): string {
  return encodeURIComponent(path)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(2F|24|26|2B|2C|3A|3B|3D|40)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Values of a name in a query. Like Go, it drops a pair that is malformed or contains a semicolon. */
export function queryValues(query: string, name: string): string[] {
  return query.split("&").flatMap((pair) => {
    if (pair === "" || pair.includes(";")) return [];
    const [key = "", ...rest] = pair.split("=");
    const value = unescaped(rest.join("="));
    return unescaped(key) === name && value !== null ? [value] : [];
  });
}

function unescaped(text: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(text)) return null;
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
