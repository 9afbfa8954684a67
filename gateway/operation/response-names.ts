import { type ExecutionResult, GraphQLError } from "graphql";

/** Names in a result that differ from those that the caller asked for. */
export interface ResponseNames {
  /** Prefix that the executed operation adds to the aliases that executors mishandle, such as `__proto__`. */
  readonly aliasPrefix: string;
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
    Object.defineProperty(restored, restoredName(name, names), {
      value: restoredValue(member, names),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return restored;
}

function restoredName(name: string, { aliasPrefix }: ResponseNames): string {
  return name.startsWith(aliasPrefix) ? name.slice(aliasPrefix.length) : name;
}

function restoredError(error: GraphQLError, names: ResponseNames): GraphQLError {
  const isChanged = (part: string | number) => typeof part === "string" && part.startsWith(names.aliasPrefix);
  if (!error.path?.some(isChanged)) return error;
  return new GraphQLError(error.message, {
    path: error.path.map((part) => (typeof part === "string" ? restoredName(part, names) : part)),
    extensions: error.extensions,
    originalError: error instanceof Error ? error : null,
  });
}
