import { createSharedCache } from "./shared-cache.ts";

/** New values keep four of the places. */
const create = () => createSharedCache<string>({ maxSize: 14, sizeOf: () => 1 });
type Cache = ReturnType<typeof create>;

const addAll = (cache: Cache, names: readonly string[], owner: string | null) => {
  for (const name of names) cache.add(name, `value of ${name}`, owner);
};
const useAll = (cache: Cache, names: readonly string[]) => names.filter((name) => cache.get(name) !== undefined);
const many = (prefix: string, count = 1_000) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe("a cache that several callers share", () => {
  it("returns the values of the keys that are kept", () => {
    const cache = create();
    addAll(cache, ["a"], "A");
    expect([cache.get("a"), cache.get("a"), cache.get("b")]).toEqual(["value of a", "value of a", undefined]);
  });

  it("keeps a value that was used again while any number of others are used once", () => {
    const cache = create();
    addAll(cache, ["a"], "A");
    expect(useAll(cache, ["a"])).toEqual(["a"]);
    for (const name of many("b")) addAll(cache, [name], name);
    expect(useAll(cache, ["a"])).toEqual(["a"]);
  });

  it("keeps values of a caller while another one uses any number of others twice", () => {
    const cache = create();
    const own = ["a1", "a2", "a3", "a4"];
    for (const name of own) {
      addAll(cache, [name], "A");
      useAll(cache, [name]);
    }
    for (const name of many("b")) {
      addAll(cache, [name], "B");
      expect(useAll(cache, [name])).toEqual([name]);
    }
    expect(useAll(cache, own)).toEqual(own);
  });

  it("keeps a new value of a caller until it is used again while another one brings any number of others", () => {
    const cache = create();
    addAll(cache, ["a"], "A");
    addAll(cache, many("b"), "B");
    expect(useAll(cache, ["a"])).toEqual(["a"]);
  });

  it("gives a single caller all places, and half of them to another one who needs them", () => {
    const cache = create();
    const first = many("b", 14);
    for (const name of first) {
      addAll(cache, [name], "B");
      useAll(cache, [name]);
    }
    expect(useAll(cache, first)).toEqual(first);
    const others = many("a", 10);
    for (const name of others) {
      addAll(cache, [name], "A");
      useAll(cache, [name]);
    }
    expect(useAll(cache, first)).toEqual(first.slice(-7));
    expect(useAll(cache, others)).toEqual(others.slice(-7));
  });

  it("keeps all values that have a place, also if they are used in turn, long after each other", () => {
    const cache = create();
    const names = many("n", 14);
    addAll(cache, names, "A");
    expect(useAll(cache, names)).toEqual(names);
  });

  it("replaces what was not used for longest if nobody has more than half", () => {
    const cache = create();
    const names = many("n", 14);
    for (const name of names) {
      addAll(cache, [name], name);
      useAll(cache, [name]);
    }
    useAll(cache, names.slice(0, 3));
    for (const name of many("m", 3)) {
      addAll(cache, [name], name);
      useAll(cache, [name]);
    }
    expect(useAll(cache, names)).toEqual([...names.slice(0, 3), ...names.slice(6)]);
  });

  it("does not keep a value that would need more than half of a part", () => {
    const cache = createSharedCache<string>({ maxSize: 100, sizeOf: (key) => key.length });
    cache.add("x".repeat(16), "large", "A");
    cache.add("y".repeat(15), "small", "A");
    expect([cache.get("x".repeat(16)), cache.get("y".repeat(15))]).toEqual([undefined, "small"]);
  });

  it("counts values that nobody owns for no caller", () => {
    const cache = create();
    const own = many("own", 14);
    for (const name of own) {
      addAll(cache, [name], null);
      useAll(cache, [name]);
    }
    expect(useAll(cache, own)).toEqual(own);
    addAll(cache, ["a"], "A");
    useAll(cache, ["a"]);
    expect(useAll(cache, own)).toEqual(own.slice(1));
  });
});
