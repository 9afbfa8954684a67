/**
 * A field's resolver as graphql-js calls it. If it has `loadAll`, the resolver returns no promise for objects that were passed to
 * `loadAll` before.
 */
export interface DirectResolver {
  (root: never, args: never, context: never): unknown;
  readonly loadAll?: LoadAll;
}

/** Loads what a field needs for all objects of an answer. */
export type LoadAll = (roots: never[], context: never) => Promise<void>;

/** Resolvers by type and field. */
export type DirectResolvers = Readonly<Record<string, Readonly<Record<string, DirectResolver>>>>;

/** Adds `loadAll` to a resolver. */
export function loading<Resolver extends DirectResolver>(loadAll: LoadAll, resolve: Resolver): Resolver {
  return Object.assign(resolve, { loadAll });
}

/**
 * Makes the direct resolver of a root field whose arguments are of a class. The conversion of TypeGraphQL takes as long as the rest of a
 * page's resolver: it looks up the class in a list and makes promises.
 */
export function withArguments<Args extends object, Context>(
  Type: new () => Args,
  resolve: (args: Args, context: Context) => unknown,
): DirectResolver {
  return (_root: unknown, given: Partial<Args>, context: Context) => resolve(Object.assign(new Type(), given), context);
}

type Method = (root: never, context: never) => unknown;

/** Makes direct resolvers of fields without arguments, which call the methods of a resolver class. */
export function methodsOf<Name extends string>(
  resolver: Readonly<Record<Name, Method>>,
  ...names: readonly Name[]
): Readonly<Record<string, DirectResolver>> {
  const resolverOf =
    (name: Name): DirectResolver =>
    (root, _args, context) =>
      resolver[name](root, context);
  return Object.fromEntries(names.map((name) => [name, resolverOf(name)]));
}
