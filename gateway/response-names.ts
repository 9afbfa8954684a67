import { type ExecutionResult, GraphQLError } from "graphql";

/** Names in a result that differ from those that the caller asked for. */
export interface ResponseNames {
  /** An alias of the caller that is not passed to executors, because they mishandle it: `__proto__`. */
  readonly unsafe: string;
  /** The alias that replaces it in the executed operation. */
  readonly alias: string;
  /** The alias of a field that was added because an executed selection must not be empty. */
  readonly empty: string;
}

/** The result with the names that the caller asked for. */
export function restoreNames(result: ExecutionResult, names: ResponseNames): ExecutionResult {
  const errors = result.errors?.map((error) => restoredError(error, names));
  return {
    ...result,
    ...("data" in result ? { data: restoredValue(result.data, names) as ExecutionResult["data"] } : {}),
    ...(errors ? { errors } : {}),
  };
}

function restoredValue(value: unknown, names: ResponseNames): unknown {
  if (Array.isArray(value)) return value.map((item) => restoredValue(item, names));
  if (typeof value !== "object" || value === null) return value;
  const restored = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === names.empty) continue;
    Object.defineProperty(restored, name === names.alias ? names.unsafe : name, {
      value: restoredValue(member, names),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return restored;
}

function restoredError(error: GraphQLError, { alias, unsafe }: ResponseNames): GraphQLError {
  if (!error.path?.includes(alias)) return error;
  return new GraphQLError(error.message, {
    path: error.path.map((part) => (part === alias ? unsafe : part)),
    extensions: error.extensions,
    originalError: error instanceof Error ? error : null,
  });
}
