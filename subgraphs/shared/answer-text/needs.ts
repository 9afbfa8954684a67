import type { LoadAll } from "../schema/direct-resolvers.ts";

type Variables = Readonly<Record<string, unknown>>;

/** The arguments of a field with these variables. */
export type ReadArguments = (variables: Variables) => unknown;

/** A field that a resolver makes. */
export interface ResolvedField {
  readonly resolve: (object: unknown, args: unknown, context: unknown) => unknown;
  readonly argumentsOf: ReadArguments;
  /** True if resolvers make fields of its objects, which are found by these objects when the answer is written again. */
  hasResolvedFields: boolean;
}

/** Objects for which a direct resolver loads all that it needs. */
export interface Load {
  /** Where the objects are, from the root: keys of properties. Lists have none. */
  readonly path: readonly string[];
  readonly loadAll: LoadAll;
}

/** What the code of a writer needs in a run. */
export interface Needs {
  /** In the order of the numbers in the code. */
  readonly fields: ResolvedField[];
  readonly loads: Load[];
}
