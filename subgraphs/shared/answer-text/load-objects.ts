import type { Loads } from "./needs.ts";

/** Loads what fields need for the objects at each path. */
export async function loadObjects(loads: Iterable<Loads>, root: unknown, context: unknown): Promise<void> {
  const atPaths = [...loads].flatMap(({ path, loadsAll }) => {
    const objects = path.reduce(objectsAt, [root]);
    return objects.length === 0 ? [] : [...loadsAll].map((loadAll) => loadAll(objects as never[], context as never));
  });
  await Promise.all(atPaths);
}

/** The objects of a property of all objects: the items of lists, or the objects themselves. */
function objectsAt(objects: readonly unknown[], key: string): unknown[] {
  const values = objects.flatMap((object) => (object as Readonly<Record<string, unknown>>)[key]);
  return values.filter((value) => typeof value === "object" && value !== null);
}
