import type { Work } from "../../core/work/work.ts";

/** The part of a context that belongs to one request, or to one event of a subscription. */
export interface RequestContext<Loaders> {
  /** What statements and calls are made for. */
  readonly work: Work;
  /** The loaders, which cache what they load. */
  readonly load: Loaders;
}

/**
 * Returns a function that creates the context of one request: the stores, the request's work and its loaders. A context inherits the
 * stores, because copying them into every context takes 6 microseconds per request.
 */
export function createContexts<Stores extends object, Loaders>(
  stores: Stores,
  createLoaders: (work: Work) => Loaders,
): (request: { readonly work: Work }) => Stores & RequestContext<Loaders> {
  return ({ work }) => Object.assign(Object.create(stores), { work, load: createLoaders(work) });
}

type Factories = Readonly<Record<string, (work: Work) => unknown>>;

/** The loaders that functions make, by name. */
export type LoadersOf<Makers extends Factories> = { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };

/** The work that loaders are made for. */
const WORK = Symbol("work");

interface OfWork {
  readonly [WORK]: Work;
}

/**
 * Returns a function that creates the loaders of one request. Each loader is made when it is used first: a subgraph has dozens, of which a
 * request uses few.
 */
export function lazyLoaders<Makers extends Factories>(makers: Makers): (work: Work) => LoadersOf<Makers> {
  const prototype = {};
  for (const [name, make] of Object.entries(makers))
    Object.defineProperty(prototype, name, {
      get(this: OfWork) {
        const value = make(this[WORK]);
        Object.defineProperty(this, name, { value });
        return value;
      },
    });
  return (work) => {
    const loaders = Object.create(prototype);
    loaders[WORK] = work;
    return loaders;
  };
}
