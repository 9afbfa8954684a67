import type { Load, Step } from "./needs.ts";

/** Calls `loadAll` of each load with the objects at its path. */
export async function loadObjects(loads: readonly Load[], root: unknown, context: unknown): Promise<void> {
  const found = new Map<string, unknown[]>();
  await Promise.all(
    loads.map(({ path, loadAll }) => {
      const name = nameOfPath(path);
      const objects = found.get(name) ?? path.reduce((roots, step) => objectsAt(roots, step, context), [root]);
      found.set(name, objects);
      return objects.length > 0 ? loadAll(objects as never[], context as never) : undefined;
    }),
  );
}

/** The same for equal paths. */
export function nameOfPath(path: readonly Step[]): string {
  return path.map(({ key, only }) => (only ? `${key}:${only.type}` : key)).join();
}

/** The objects of a property of all objects: the items of lists, or the objects themselves. */
function objectsAt(objects: readonly unknown[], { key, only }: Step, context: unknown): unknown[] {
  const found: unknown[] = [];
  for (const object of objects) {
    const value = (object as Readonly<Record<string, unknown>>)[key];
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === "object" && one !== null && (!only || only.typeNameOf(one, context) === only.type))
        found.push(one);
  }
  return found;
}
