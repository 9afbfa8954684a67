import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled } from "../../test/support/bundled.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { listen } from "../../test/support/node/listen.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.pool.query("TRUNCATE prices"));
afterAll(() => database[Symbol.asyncDispose]());

interface Result {
  readonly code: number;
  readonly output: string;
}

/** `moraine prices …args`, with a configuration file. */
async function prices(args: readonly string[], settings: object = {}, url = database.url): Promise<Result> {
  const config = join(folder, "moraine.json");
  writeFileSync(config, JSON.stringify(settings));
  const env = { PATH: process.env["PATH"], MORAINE_CONFIG: config, DATABASE_URL: url };
  const command = [bundled("commands/main.ts"), "prices", ...args];
  return new Promise((done) =>
    execFile(process.execPath, command, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, output: stdout + stderr }),
    ),
  );
}

async function count(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>("SELECT count(*)::int AS count FROM prices");
  return rows[0]?.count ?? -1;
}

describe("moraine prices", () => {
  it("import stores a file's prices and prints their number; a wrong line ends it with one line and exit code 1", async () => {
    const file = join(folder, "prices.csv");
    writeFileSync(file, "asset,currency,timestamp,value\na,usd,1,2\na,eur,1,2\n");
    expect(await prices(["import", file])).toEqual({ code: 0, output: "2 prices imported\n" });
    writeFileSync(file, "asset,currency,timestamp,value\nb,usd,1,2\nb,eur,1,two\n");
    expect(await prices(["import", file])).toEqual({
      code: 1,
      output: 'line 3: value must be a decimal number of at most 30 digits before the point, not negative, got "two"\n',
    });
    expect(await count()).toBe(2);
  });

  it("history stores an asset's past prices, in all currencies or none", async () => {
    let refused = "jpy";
    await using api = await listen((request, response) => {
      const isRefused = request.url?.includes(`vs_currency=${refused}`);
      response.writeHead(isRefused ? 500 : 200).end('{"prices":[[1000,1.5],[2000,1.25]]}');
    });
    const importHistory = () =>
      prices(["history", "--asset", "coin", "--from", "1970-01-01", "--to", "9"], { prices: { url: api.url } });
    expect(await importHistory()).toEqual({
      code: 1,
      output: "the source of prices answered HTTP 500 to /coins/coin/market_chart/range\n",
    });
    expect(await count()).toBe(0);
    refused = "none";
    expect(await importHistory()).toEqual({ code: 0, output: "28 prices imported\n" });
    expect(await count()).toBe(28);
  });

  it.each([
    [(url: string) => url.replace(/:\d+\//, ":1/"), /ECONNREFUSED/],
    [() => "postgresql://nobody:secret@[", /setting databaseUrl/],
  ])("prints one line, without the password, if the database cannot be used", async (changed, message) => {
    const file = join(folder, "good.csv");
    writeFileSync(file, "asset,currency,timestamp,value\na,usd,1,2\n");
    const { code, output } = await prices(["import", file], {}, changed(database.url));
    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
    expect(output).toMatch(/^[^\n]+\n$/);
    expect(output).not.toContain("secret");
  });

  it("is refused in one line for wrong arguments", async () => {
    expect(await prices(["export"])).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^there is no command "export".*: give one of import, history; moraine prices --help/,
      ),
    });
    expect(await prices(["import"])).toEqual({ code: 1, output: expect.stringMatching(/^<file> must be given; /) });
  });
});
