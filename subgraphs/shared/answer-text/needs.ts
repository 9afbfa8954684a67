import type { FieldResolver, LoadAll } from "../schema/load-all.ts";
import type { ReadArguments } from "./arguments.ts";
import type { ReadTypeName } from "./type-names.ts";

/** A field that a resolver makes. */
export interface ResolvedField {
  readonly resolve: FieldResolver;
  readonly argumentsOf: ReadArguments;
  /** True if resolvers make fields of its objects, which are found by these objects when the answer is written again. */
  hasResolvedFields: boolean;
}

/** Objects below other objects. */
export interface Step {
  /** The property that has them. Lists have none. */
  readonly key: string;
  /** The only type that counts, if the property is an interface or a union. */
  readonly only: { readonly type: string; readonly typeNameOf: ReadTypeName } | null;
}

/** Objects for which all that a field needs is loaded. */
export interface Load {
  /** Where the objects are, from the root. */
  readonly path: readonly Step[];
  readonly loadAll: LoadAll;
}

/** What the code of a writer needs in a run. */
export interface Needs {
  /** In the order of the numbers in the code. */
  readonly fields: ResolvedField[];
  readonly loads: Load[];
}
