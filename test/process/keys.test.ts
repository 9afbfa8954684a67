import { once } from "node:events";
import { createApiKeys } from "../../core/limits/access/api-keys.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { run } from "./processes.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

async function keys(...args: readonly string[]) {
  await using process = await run("keys", { DATABASE_URL: database.url }, args);
  const [code] = (await once(process.child, "close")) as [number | null];
  return { code, output: process.output() };
}

describe("moraine keys", () => {
  it("creates, lists, limits and revokes keys, and prints a key only when it creates it", async () => {
    const created = await keys(
      "create",
      "--label",
      "Explorer",
      "--per-minute",
      "8000",
      "--scope",
      "first",
      "--scope",
      "export",
    );
    const [, key = ""] = /^(moraine_[\w-]{43})$/m.exec(created.output) ?? [];
    const [, name = ""] = /Its name is ([\w-]{22})\./.exec(created.output) ?? [];
    expect(createApiKeys({ apiKeys: [{ key, scopes: [] }], keyHeaders: ["k"] }).identify(() => key)?.name).toBe(name);
    const limited = await keys("limit", name, "--per-minute", "none", "--per-day", "5", "--network", "fuji");
    const rules = "unlimited per minute  5 per day  networks fuji  scopes first,export";
    expect(limited.output).toContain(rules);
    expect((await keys("revoke", name)).output).toContain(`${name}  "Explorer"  revoked `);
    const listed = await keys("list");
    expect(listed).toMatchObject({ code: 0, output: expect.stringContaining(rules) });
    expect(listed.output).not.toContain(key);
    expect(JSON.parse((await keys("list", "--json")).output)).toMatchObject([
      { name, label: "Explorer", computeUnitsPerDay: 5, networks: ["fuji"], scopes: ["first", "export"] },
    ]);
  });

  it("refuses an unknown option and a label of spaces with the reason", async () => {
    expect(await keys("create", "--label", "x", "--expires", "1")).toEqual({
      code: 1,
      output: "there is no option --expires; moraine keys create --help describes what can be given\n",
    });
    for (const label of ["", "  "])
      expect(await keys("create", "--label", label)).toEqual({
        code: 1,
        output: expect.stringContaining(`--label is "${label}": must have a character that is not a space`),
      });
    expect((await keys("list")).output).not.toContain('"  "');
  });

  it("refuses a wrong value with the option and the rule", async () => {
    expect(await keys("create", "--label", "x", "--per-minute", "0")).toEqual({
      code: 1,
      output: expect.stringContaining('--per-minute is "0": must be none or a whole number from 1 to 2147483647'),
    });
  });
});
