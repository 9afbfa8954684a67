import type { ExecutionResult } from "graphql";

/**
 * A result that is made text once, and whose data is not kept after that. graphql-ws keeps a result until its client has read it, and the data
 * takes several times as much memory as the text.
 */
export function resultForText<Result extends ExecutionResult>(result: Result): Result {
  let data: object | null | undefined = result.data;
  if (!data) return result;
  const once = {
    toJSON() {
      const value = data as (object & { toJSON?(): unknown }) | null;
      data = null;
      // `JSON.stringify` does not call `toJSON` of a value that `toJSON` has returned.
      return value?.toJSON ? value.toJSON() : value;
    },
  };
  return { ...result, data: once };
}
