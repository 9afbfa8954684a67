import { createHash } from "node:crypto";
import type { Config } from "./config-schema.ts";
import { Failure } from "./errors.ts";

/** A configured API key. */
export type ApiKey = Config["apiKeys"][number] & {
  /** A hash of the key: the caller's name in logs, tables and requests between Moraine's own processes. */
  readonly name: string;
};

export interface ApiKeys {
  /**
   * Finds the API key of a request. `read` returns the value of a header, whose name is in lower case; the first header of
   * the setting `keyHeaders` that is present and not empty counts. Returns null if the request has no key. Throws
   * `UNAUTHENTICATED` if the key is not configured.
   */
  identify(read: (header: string) => unknown): ApiKey | null;
}

/** Builds the lookup table once from the configuration. */
export function createApiKeys({ apiKeys, keyHeaders }: Pick<Config, "apiKeys" | "keyHeaders">): ApiKeys {
  const known = new Map(apiKeys.map((entry) => [entry.key, { ...entry, name: nameOf(entry.key) }]));
  return {
    identify(read) {
      for (const header of keyHeaders) {
        const key = read(header);
        if (!key) continue;
        const found = known.get(String(key));
        if (!found) throw new Failure("UNAUTHENTICATED", "the API key is unknown");
        return found;
      }
      return null;
    },
  };
}

/** Characters of a name: enough for 128 bits. */
const NAME_LENGTH = 22;

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, NAME_LENGTH);
}

/**
 * Carries the caller's name from the gateway to a subgraph in another process: a header over HTTP, a member of `extensions`
 * over graphql-ws. The gateway does not read it from its own callers.
 */
export const CALLER_HEADER = "x-moraine-caller";

/** True if the value has the form of a caller's name. */
export function isCallerName(value: unknown): value is string {
  return typeof value === "string" && value.length === NAME_LENGTH && /^[\w-]+$/.test(value);
}
