import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { createStoredPageTokens } from "./page-tokens.ts";

const DAY = 86_400;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const clock = { nowSeconds: 1_900_000_000 };
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const create = () => createStoredPageTokens(database, () => clock.nowSeconds);
const pageOf = (cursor: string, list = "blocks", ...parameters: unknown[]) => ({ list, parameters, cursor, head: "7" });
const count = async () => (await database.pool.query("SELECT FROM metrics_page_tokens")).rowCount;

describe("a stored page token", () => {
  it("is a random UUID, known to every replica, for the list and parameters that it was made for", async () => {
    const tokens = await create().issue([pageOf("5", "blocks", "1", 7), pageOf("5", "blocks", "1", 7)], SERVICE_WORK);
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) {
      expect(token).toMatch(UUID);
      expect(await create().read("blocks", ["1", 7], token)).toEqual({ cursor: "5", head: "7" });
      for (const [list, parameters] of [
        ["others", ["1", 7]],
        ["blocks", ["1", "7"]],
        ["blocks", ["1"]],
        ["blocks", ["1", 7, null]],
      ] as const)
        await expect(create().read(list, parameters, token)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
    }
  });

  it.each([
    "bb29d07a-2bcf-4cb4-a795-5fc6d25655d9",
    "BB29D07A-2BCF-4CB4-A795-5FC6D25655D9",
    "{bb29d07a-2bcf-4cb4-a795-5fc6d25655d9}",
    "bb29d07a2bcf4cb4a7955fc6d25655d9",
    "x",
    "\0",
    "😀",
    "'; DROP TABLE metrics_page_tokens",
    "a".repeat(100),
  ])("is refused if it was never made: %j", async (token) => {
    await expect(create().read("blocks", [], token)).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      message: expect.stringMatching(/^the page token or cursor must be from a page with the same parameters, got "/),
    });
  });

  it("is read together with the others of a request, in one statement", async () => {
    const tokens = create();
    const issued = await tokens.issue([pageOf("1"), pageOf("2"), pageOf("3")], SERVICE_WORK);
    const statements = await statementsOf(async () => {
      const cursors = await Promise.all([...issued, issued[0]].map((token) => tokens.read("blocks", [], token)));
      expect(cursors).toEqual(["1", "2", "3", "1"].map((cursor) => ({ cursor, head: "7" })));
    });
    expect(statements).toHaveLength(1);
  });

  it("may be absent or empty for the first page", async () => {
    for (const absent of [undefined, null, ""]) expect(await create().read("blocks", [], absent)).toBeNull();
  });

  it("is valid for 24 hours, and is deleted when later ones are made, a few at a time", async () => {
    await database.pool.query("DELETE FROM metrics_page_tokens");
    const tokens = create();
    const old = await tokens.issue(
      Array.from({ length: 25 }, (_, index) => pageOf(String(index))),
      SERVICE_WORK,
    );
    clock.nowSeconds += DAY;
    expect(await tokens.read("blocks", [], old[3])).toEqual({ cursor: "3", head: "7" });
    await tokens.issue([pageOf("x")], SERVICE_WORK);
    expect(await count()).toBe(26);
    clock.nowSeconds += 1;
    await expect(tokens.read("blocks", [], old[3])).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      message: "the page token or cursor has expired after 24 hours: start again from the first page",
    });
    await tokens.issue([pageOf("x")], SERVICE_WORK);
    expect(await count()).toBe(26 + 1 - 11);
    await tokens.issue([pageOf("x"), pageOf("x")], SERVICE_WORK);
    await tokens.issue([pageOf("x")], SERVICE_WORK);
    expect(await count()).toBe(5);
  });
});
