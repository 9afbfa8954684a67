import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createLoader } from "./loader.ts";

interface Row {
  readonly id: string;
}

const keyOf = (id: string): Row => ({ id });

/** A loader of all keys but `none`, and the keys of each statement. */
function open(maxKeys?: number) {
  const statements: string[][] = [];
  const read = async (keys: readonly Row[]): Promise<Row[]> => {
    statements.push(keys.map(({ id }) => id));
    if (keys.some(({ id }) => id === "broken") && statements.length === 1) throw new Error("lost");
    return keys.filter(({ id }) => id !== "none").toReversed();
  };
  const load = createLoader("test", read, ({ id }: Row) => ({ id }), maxKeys)(SERVICE_WORK);
  return { load: (...ids: string[]) => Promise.all(ids.map((id) => load(keyOf(id)))), statements };
}

describe("a loader of rows by their keys", () => {
  it("reads the keys of one tick in one statement, each key once", async () => {
    const { load, statements } = open();
    const later = Promise.resolve().then(() => load("c", "a"));
    const found = await Promise.all([load("a"), load("b", "none", "b"), later]);
    expect(found).toEqual([[{ id: "a" }], [{ id: "b" }, null, { id: "b" }], [{ id: "c" }, { id: "a" }]]);
    expect(await load("a", "d")).toEqual([{ id: "a" }, { id: "d" }]);
    expect(statements).toEqual([["a", "b", "none", "c"], ["d"]]);
  });

  it("reads no more keys in a statement than allowed", async () => {
    const { load, statements } = open(2);
    expect(await load("a", "b", "c", "d", "e")).toHaveLength(5);
    expect(statements).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  it("fails for all keys of a statement that fails, and reads them again when they are requested again", async () => {
    const { load, statements } = open();
    const failed = await Promise.allSettled([load("broken"), load("a")]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await load("a")).toEqual([{ id: "a" }]);
    expect(statements).toEqual([["broken", "a"], ["a"]]);
  });
});
