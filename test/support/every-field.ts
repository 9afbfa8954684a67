import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from "graphql";

/**
 * Values of arguments, as GraphQL literals: of all required arguments of a name, or of an argument of one field (`field.name`). A single
 * value is also a list. Other arguments have their defaults.
 */
export type Literals = Readonly<Record<string, string>>;

/** A field with its arguments, below those that lead to it. */
interface Step {
  readonly path: readonly string[];
  readonly type: GraphQLObjectType;
}

/**
 * Operations that together select every field of every object type that a query can reach, each by a shortest path. Fields whose required
 * arguments have no value are left out.
 */
export function everyField(schema: GraphQLSchema, literals: Literals): string[] {
  const query = schema.getQueryType() as GraphQLObjectType;
  const seen = new Set<GraphQLObjectType>([query]);
  let steps: Step[] = [{ path: [], type: query }];
  const operations: string[] = [];
  while (steps.length > 0) {
    const next: Step[] = [];
    for (const { path, type } of steps)
      for (const field of Object.values(type.getFields())) {
        const call = callOf(field, literals);
        if (call === null) continue;
        for (const [fragment, target] of targetsOf(field.type)) {
          if (type !== query && seen.has(target)) continue;
          seen.add(target);
          const here = [...path, call, ...(fragment ? [`... on ${fragment}`] : [])];
          next.push({ path: here, type: target });
          operations.push(`{ ${here.join(" { ")} { ${selectionOf(target, literals)} ${"} ".repeat(here.length)}}`);
        }
      }
    steps = next;
  }
  return operations;
}

/** The field with its arguments; null if a required one has no value. */
function callOf(field: GraphQLField<unknown, unknown>, literals: Literals): string | null {
  const given: string[] = [];
  for (const arg of field.args) {
    const literal = literals[`${field.name}.${arg.name}`] ?? (isRequiredArgument(arg) ? literals[arg.name] : undefined);
    if (literal !== undefined) given.push(`${arg.name}: ${literal}`);
    else if (isRequiredArgument(arg)) return null;
  }
  return given.length > 0 ? `${field.name}(${given.join(", ")})` : field.name;
}

/** The object types that a field can return, each with its name if it must be named in a fragment. */
function targetsOf(type: GraphQLOutputType): (readonly [fragment: string | null, target: GraphQLObjectType])[] {
  const named = getNamedType(type);
  if (isUnionType(named)) return named.getTypes().map((one) => [one.name, one]);
  return isObjectType(named) ? [[null, named]] : [];
}

/** All fields of a type without fields of objects below them, but `__typename`. */
function selectionOf(type: GraphQLObjectType, literals: Literals): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const call = callOf(field, literals);
    if (call === null) return [];
    return isLeafType(getNamedType(field.type)) ? [call] : [`${call} { __typename }`];
  });
  return ["__typename", ...fields].join(" ");
}
