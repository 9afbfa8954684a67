import { Failure } from "../../core/errors/errors.ts";
import { hashOfToken } from "./cancel-token.ts";

/** The operations that a list covers: those of an API key, or those with one of these tokens. */
export type ListedOperations =
  | { readonly owner: string }
  /** `0x` hex of the hashes of the tokens. */
  | { readonly tokenHashes: ReadonlySet<string> };

/** Who sends a request. */
export interface Caller {
  /** Name of the caller's API key; empty without a key. */
  readonly owner: string;
  /**
   * The operations that the caller may list. Without a key, callers cannot be told apart, so they list the operations whose cancel tokens
   * they have. Throws `UNAUTHENTICATED` without a key and without tokens if API keys are configured, and `INVALID_PARAMETER` for tokens of
   * a caller with a key.
   */
  listed(cancelTokens: readonly string[] | null | undefined): ListedOperations;
}

const MAX_TOKENS = 100;

export function createCaller(owner: string, hasApiKeys: boolean): Caller {
  return {
    owner,
    listed(cancelTokens) {
      const tokens = cancelTokens ?? [];
      if (tokens.length > MAX_TOKENS)
        throw invalid(`must have at most ${MAX_TOKENS} items, got ${tokens.length} items`);
      if (owner !== "" && tokens.length > 0)
        throw invalid("must not be given with an API key, which lists its operations");
      if (owner !== "") return { owner };
      if (tokens.length === 0 && hasApiKeys)
        throw new Failure("UNAUTHENTICATED", "an API key or cancelTokens are required to list operations");
      return { tokenHashes: new Set(tokens.map((token) => `0x${hashOfToken(token).toString("hex")}`)) };
    },
  };
}

const invalid = (rule: string): Failure => new Failure("INVALID_PARAMETER", `cancelTokens ${rule}`);

/** True if a caller may read and watch an operation: its own, or one that was started without an API key. */
export function isVisible(operation: { readonly owner: string }, owner: string): boolean {
  return operation.owner === "" || operation.owner === owner;
}
