import { BadUpstreamData } from "../../core/errors/errors.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { storeInOrder } from "./store-in-order.ts";

describe("a batch of which PostgreSQL refuses an item", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    for (const table of ["kept", "raw_blocks_kept"])
      await database.pool.query(`CREATE TABLE ${table} (n SMALLINT PRIMARY KEY, t TEXT NOT NULL)`);
  });
  afterAll(() => database[Symbol.asyncDispose]());
  beforeEach(() => database.pool.query("TRUNCATE kept"));

  type Item = readonly [n: number, text: string | null];
  const store = (items: readonly Item[], table = "kept") =>
    storeInOrder(items, {
      nameOf: ([n]) => `block ${n} of the X-Chain`,
      async write(some) {
        if (some.some(([n]) => n === 666)) throw new BadUpstreamData("block 666 names another parent");
        await database.pool.query(`INSERT INTO ${table} SELECT * FROM unnest($1::int[], $2::text[])`, [
          some.map(([n]) => n),
          some.map(([, text]) => text),
        ]);
      },
    });
  const kept = async () => (await database.pool.query("SELECT n FROM kept ORDER BY n")).rows.map(({ n }) => n);
  const upTo = (last: number): Item[] => Array.from({ length: last }, (_, i) => [i + 1, "a"] as const);

  it.each<[string, Item, string]>([
    [
      "a number that is too large",
      [40_000, "a"],
      "block 40000 of the X-Chain cannot be stored: a number in it is larger than the column for it",
    ],
    [
      "a key that exists",
      [3, "a"],
      "block 3 of the X-Chain cannot be stored: a row with the same key is stored already",
    ],
    [
      "a missing value",
      [20, null],
      "block 20 of the X-Chain cannot be stored: a value that is required is missing in it",
    ],
    ["data that contradict others", [666, "a"], "block 666 names another parent"],
  ])("for %s keeps the items before it, and the reason names it in plain words", async (_, bad, message) => {
    await expect(store([...upTo(11), bad, [30, "a"]])).rejects.toThrow(new BadUpstreamData(message));
    expect(await kept()).toEqual(upTo(11).map(([n]) => n));
  });

  it("in a table of raw blocks is an error of Moraine", async () => {
    await expect(
      store(
        [
          [1, "a"],
          [1, "b"],
        ],
        "raw_blocks_kept",
      ),
    ).rejects.toMatchObject({ code: "23505" });
  });
});
