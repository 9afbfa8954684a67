import type { FetchNodePathSegment, FetchRewrite, KeyRenamer, ValueSetter } from "@graphql-hive/router-query-planner";
import { type DataObject, isData, type SupergraphTypes } from "./projection.ts";

/** Changes an object that is sent to a subgraph, or that a subgraph has returned. */
export type Rewrite = (object: DataObject) => void;

/** Compiles the rewrites of a fetch: members that get another name or a fixed value, such as the name of an interface as `__typename`. */
export function compileRewrites(rewrites: readonly FetchRewrite[] | undefined, types: SupergraphTypes): Rewrite | null {
  if (!rewrites?.length) return null;
  const all = rewrites.map((rewrite) => compileRewrite(rewrite, types));
  return (object) => {
    for (const rewrite of all) rewrite(object);
  };
}

function compileRewrite(rewrite: FetchRewrite, types: SupergraphTypes): Rewrite {
  if ("KeyRenamer" in rewrite) return renamer(rewrite.KeyRenamer, types);
  return setter("ValueSetter" in rewrite ? rewrite.ValueSetter : rewrite, types);
}

function renamer({ path, renameKeyTo }: KeyRenamer, types: SupergraphTypes): Rewrite {
  return atLastKey(path, types, (object, key) => {
    if (!Object.hasOwn(object, key)) return;
    object[renameKeyTo] = object[key];
    delete object[key];
  });
}

function setter({ path, setValueTo }: ValueSetter, types: SupergraphTypes): Rewrite {
  return atLastKey(path, types, (object, key) => {
    object[key] = setValueTo;
  });
}

/** Calls the function for each object that has the last key of a path. */
function atLastKey(
  path: readonly FetchNodePathSegment[],
  types: SupergraphTypes,
  change: (object: DataObject, key: string) => void,
): Rewrite {
  const visit = (value: unknown, at: number): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, at);
      return;
    }
    const segment = path[at];
    if (!isData(value) || !segment) return;
    if ("TypenameEquals" in segment) {
      // The planner gives a name or a list of names.
      const names = [segment.TypenameEquals].flat();
      if (names.some((name) => types.fits(value["__typename"], name))) visit(value, at + 1);
    } else if (at === path.length - 1) change(value, segment.Key);
    else visit(value[segment.Key], at + 1);
  };
  return (object) => visit(object, 0);
}
