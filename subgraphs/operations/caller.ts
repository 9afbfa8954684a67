import { Failure } from "../../core/errors.ts";

/** Who sends a request. */
export interface Caller {
  /** Name of the caller's API key; empty without a key. */
  readonly owner: string;
  /**
   * The owner whose operations the caller may list. Throws `UNAUTHENTICATED` for a caller without a key if API keys are
   * configured: without a key, callers cannot be told apart.
   */
  listedOwner(): string;
}

export function createCaller(owner: string, hasApiKeys: boolean): Caller {
  return {
    owner,
    listedOwner() {
      if (owner !== "" || !hasApiKeys) return owner;
      throw new Failure("UNAUTHENTICATED", "an API key is required to list operations");
    },
  };
}

/** True if a caller may read and cancel an operation: its own, or one that was started without an API key. */
export function isVisible(operation: { readonly owner: string }, owner: string): boolean {
  return operation.owner === "" || operation.owner === owner;
}
