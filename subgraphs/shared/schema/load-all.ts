/** Loads what a field needs for all objects of an answer. */
export type LoadAll<Root = never, Context = never> = (roots: Root[], context: Context) => Promise<void>;

/** A field's resolver. It returns no promise for objects that were passed to all `loads` before. */
export interface FieldResolver {
  (root: unknown, args: Readonly<Record<string, unknown>>, context: unknown): unknown;
  readonly loads?: readonly LoadAll[];
}

const LOADS = new WeakMap<object, readonly LoadAll[]>();

/** Decorates the method of a field: answers are written after `loads` have loaded what the field needs for all their objects. */
export function LoadsAll<Root, Context>(...loads: readonly LoadAll<Root, Context>[]) {
  return <Method extends (root: Root, context: Context) => unknown>(
    _prototype: object,
    _name: string,
    { value }: TypedPropertyDescriptor<Method>,
  ): void => {
    if (value) LOADS.set(value, loads as readonly LoadAll[]);
  };
}

/** What the decorator of a method names. */
export function loadsOf(method: object): readonly LoadAll[] {
  return LOADS.get(method) ?? [];
}
