import { hash } from "node:crypto";
import type { Config } from "../../config/config-schema.ts";
import type { Network } from "../../config/settings/network.ts";
import { Failure } from "../../errors/errors.ts";

/** What an API key permits. */
export interface KeyRules {
  /** If not set, there is no limit. */
  readonly computeUnitsPerMinute?: number | undefined;
  readonly computeUnitsPerDay?: number | undefined;
  /** If not set, all networks. */
  readonly networks?: readonly Network[] | undefined;
  readonly scopes: readonly string[];
}

/** An API key that a request was sent with. Never logged. */
export interface ApiKey extends KeyRules {
  readonly key: string;
  /** A hash of the key: the caller's name in logs, tables and requests between Moraine's own processes. */
  readonly name: string;
}

export interface ApiKeys {
  /**
   * Finds the API key of a request. `read` returns the value of a header, whose name is in lower case; the first header of
   * the setting `keyHeaders` that is present and not empty counts. Returns null if the request has no key. Throws
   * `UNAUTHENTICATED` if the key does not exist, and `UNAVAILABLE` if the keys of the database, which may know it, could not be read lately.
   */
  identify(read: (header: string) => unknown): ApiKey | null;
  /** True if it is certain that no key exists: then callers without a key are the only ones. */
  isEmpty(): boolean;
  /**
   * Calls `call` once when the key with this name is revoked. If the key is already revoked, calls it soon after this function has
   * returned. The returned function cancels this. Keys of the settings are never revoked while a process runs.
   */
  onRevoked(name: string, call: () => void): () => void;
}

/** A key of the settings or of the database, by its hash. */
export interface HashedKey extends KeyRules {
  readonly hash: Buffer;
}

/** The keys of the database, as a process knows them. */
export interface StoredKeys {
  readonly keys: KeyTable;
  /** False if the last successful read of the keys is more than five seconds old. */
  isFresh(): boolean;
  onRevoked(name: string, call: () => void): () => void;
}

const NO_STORED_KEYS: StoredKeys = { keys: createKeyTable([]), isFresh: () => true, onRevoked: () => () => {} };

/** The reason may be the database, the network, or this process: it is in the log, not in the message. */
const NOT_FRESH =
  "the API key cannot be checked: the stored keys could not be read within the last 5 seconds, try again later";

/** In characters. A longer key is refused without computing its hash. */
const MAX_KEY_LENGTH = 1_024;

/** Builds the lookup table of the settings once. The keys of the database come from `stored`. Default: none. */
export function createApiKeys(
  { apiKeys, keyHeaders }: Pick<Config, "apiKeys" | "keyHeaders">,
  stored = NO_STORED_KEYS,
): ApiKeys {
  const configured = createKeyTable(apiKeys.map(({ key, ...rules }) => ({ ...rules, hash: hashOf(key) })));
  const find = (key: string): ApiKey => {
    const digest = digestOf(key);
    const found = configured.find(key, digest);
    if (found) return found;
    if (!stored.isFresh()) throw new Failure("UNAVAILABLE", NOT_FRESH);
    const known = stored.keys.find(key, digest);
    if (!known) throw new Failure("UNAUTHENTICATED", "the API key is unknown");
    return known;
  };
  return {
    identify(read) {
      for (const header of keyHeaders) {
        const value = read(header);
        if (!value) continue;
        const key = String(value);
        if (key.length > MAX_KEY_LENGTH) throw new Failure("UNAUTHENTICATED", "the API key is unknown");
        return find(key);
      }
      return null;
    },
    isEmpty: () => configured.size() === 0 && stored.isFresh() && stored.keys.size() === 0,
    onRevoked: (name, call) => (configured.has(name) ? () => {} : stored.onRevoked(name, call)),
  };
}

/** Keys by their hash. */
export interface KeyTable {
  /** Replaces all keys. An unchanged key stays the same object. Returns the names of the keys that disappeared. */
  replace(keys: readonly HashedKey[]): string[];
  /** Finds a key by its digest: the time that the lookup takes says nothing about other keys. */
  find(key: string, digest: string): ApiKey | null;
  /** True if a key has this name. */
  has(name: string): boolean;
  size(): number;
}

interface Entry {
  readonly hashed: HashedKey;
  readonly name: string;
  /** The rules as text, to notice a change. */
  readonly rules: string;
  /** Null until a request has the key: only then the key itself is known. */
  apiKey: ApiKey | null;
}

export function createKeyTable(initial: readonly HashedKey[]): KeyTable {
  let entries = new Map<string, Entry>();
  let names = new Set<string>();
  const table: KeyTable = {
    replace(keys) {
      const old = entries;
      entries = new Map(
        keys.map((hashed) => {
          const digest = hashed.hash.toString("base64url");
          return [digest, entryOf(hashed, old.get(digest))];
        }),
      );
      names = new Set([...entries.values()].map(({ name }) => name));
      return [...old].filter(([digest]) => !entries.has(digest)).map(([, { name }]) => name);
    },
    find(key, digest) {
      const entry = entries.get(digest);
      if (!entry) return null;
      entry.apiKey ??= apiKeyOf(entry, key);
      return entry.apiKey;
    },
    has: (name) => names.has(name),
    size: () => entries.size,
  };
  table.replace(initial);
  return table;
}

function entryOf(hashed: HashedKey, old: Entry | undefined): Entry {
  const { hash: _, ...others } = hashed;
  const rules = JSON.stringify(others);
  if (old?.rules === rules) return old;
  return { hashed, rules, name: nameOf(hashed.hash), apiKey: null };
}

function apiKeyOf({ hashed: { hash: _, ...rules }, name }: Entry, key: string): ApiKey {
  return { ...rules, key, name };
}

/** The SHA-256 of a key as text, which Node.js returns in a third of the time that a buffer takes. */
function digestOf(key: string): string {
  return hash("sha256", key, "base64url");
}

/** The SHA-256 of a key. */
export function hashOf(key: string): Buffer {
  return Buffer.from(digestOf(key), "base64url");
}

/** Characters of a name: enough for 128 bits. */
const NAME_LENGTH = 22;

/** The name of a key, by its hash. */
export function nameOf(keyHash: Buffer): string {
  return keyHash.toString("base64url").slice(0, NAME_LENGTH);
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
