import { createBatch } from "./batch.ts";

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
  return { batch: createBatch("test", read, ({ id }: Row) => ({ id }), maxKeys), statements };
}

describe("a loader of rows by their keys", () => {
  it("reads single keys and lists of keys of one tick in one statement, each key once", async () => {
    const { batch, statements } = open();
    const later = Promise.resolve().then(() => batch.all(["c", "a"].map(keyOf)));
    const found = await Promise.all([batch(keyOf("a")), batch.all(["b", "none", "b"].map(keyOf)), later]);
    expect(found).toEqual([{ id: "a" }, [{ id: "b" }, null, { id: "b" }], [{ id: "c" }, { id: "a" }]]);
    expect(await batch.all(["a", "d"].map(keyOf))).toEqual([{ id: "a" }, { id: "d" }]);
    expect(statements).toEqual([["a", "b", "none", "c"], ["d"]]);
  });

  it("reads no more keys in a statement than allowed, and nothing for no keys", async () => {
    const { batch, statements } = open(2);
    expect(await batch.all([])).toEqual([]);
    expect(await batch.all(["a", "b", "c", "d", "e"].map(keyOf))).toHaveLength(5);
    expect(statements).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  it("fails for all keys of a statement that fails, and reads them again when they are requested again", async () => {
    const { batch, statements } = open();
    const failed = await Promise.allSettled([batch(keyOf("broken")), batch.all([keyOf("a")])]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await batch(keyOf("a"))).toEqual({ id: "a" });
    expect(statements).toEqual([["broken", "a"], ["a"]]);
  });
});
