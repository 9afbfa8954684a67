import type { Load } from "./needs.ts";

/** Calls `loadAll` of each load with the objects at its path. */
export async function loadObjects(loads: readonly Load[], root: unknown, context: unknown): Promise<void> {
  const found = new Map<string, unknown[]>();
  await Promise.all(
    loads.map(({ path, loadAll }) => {
      const name = path.join();
      const objects = found.get(name) ?? path.reduce(objectsAt, [root]);
      found.set(name, objects);
      return objects.length > 0 ? loadAll(objects as never[], context as never) : undefined;
    }),
  );
}

/** The objects of a property of all objects: the items of lists, or the objects themselves. */
function objectsAt(objects: readonly unknown[], key: string): unknown[] {
  const found: unknown[] = [];
  for (const object of objects) {
    const value = (object as Readonly<Record<string, unknown>>)[key];
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === "object" && one !== null) found.push(one);
  }
  return found;
}
