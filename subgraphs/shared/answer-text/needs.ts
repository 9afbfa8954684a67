import type { FieldResolver, LoadAll } from "../schema/load-all.ts";
import type { ReadArguments } from "./arguments.ts";

/** A field that a resolver makes. */
export interface ResolvedField {
  readonly resolve: FieldResolver;
  readonly argumentsOf: ReadArguments;
  /** True if resolvers make fields of its objects, which are found by these objects when the answer is written again. */
  hasResolvedFields: boolean;
}

/** Objects for which all that their fields need is loaded. */
export interface Loads {
  /** The properties that lead to the objects from the root. Items of lists have none. */
  readonly path: readonly string[];
  readonly loadsAll: Set<LoadAll>;
}

/** What the code of a writer needs in a run. */
export interface Needs {
  /** In the order of the numbers in the code. */
  readonly fields: ResolvedField[];
  /** By path. */
  readonly loads: Map<string, Loads>;
}
