import { Failure, quoted } from "../../core/errors/errors.ts";

/** Names of the parameters of a path template such as `/v1/chains/{chainId}`, in the order of the path. */
export function parameterNames(template: string): string[] {
  return Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
}

/** A path template in Express's syntax: `/v1/chains/:chainId`. Colons of the template itself are escaped. */
export function expressPath(template: string): string {
  return template.replaceAll(":", "\\:").replace(/\{(\w+)\}/g, ":$1");
}

/** True if Express matches the path of a request target as it is: origin form, no doubled slash, no percent-encoding. */
const IS_NORMAL = /^(?!\/\/)\/(?:[^?%/]|\/(?!\/))*(?:\?|$)/;

/**
 * Brings a request target into the form that Express matches: no scheme and host, single slashes, and percent-encoding only for
 * characters that a path segment cannot contain. So `transactions%3AlistErc20` matches `transactions:listErc20`. Throws
 * `INVALID_PARAMETER` if the percent-encoding of the path is malformed.
 */
export function normalTarget(target: string): string {
  if (IS_NORMAL.test(target)) return target;
  const { path, query } = splitTarget(target);
  const segments = path.split("/").filter((segment) => segment !== "");
  return `/${segments.map(normalSegment).join("/")}${query === "" ? "" : `?${query}`}`;
}

function normalSegment(segment: string): string {
  return encodeURIComponent(decodePart(segment)).replaceAll("%3A", ":");
}

/** Path and query of a request target, still percent-encoded. A proxy may send the target in absolute form. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.startsWith("/") || !URL.canParse(target) ? target : withoutOrigin(new URL(target));
  const end = local.indexOf("?");
  return end < 0 ? { path: local, query: "" } : { path: local.slice(0, end), query: local.slice(end + 1) };
}

function withoutOrigin({ pathname, search }: URL): string {
  return pathname + search;
}

/** Decodes percent-encoded text. Throws `INVALID_PARAMETER` if the encoding is malformed. */
export function decodePart(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure("INVALID_PARAMETER", `URL must be percent-encoded UTF-8, got ${quoted(text)}`);
  }
}
