import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { listen } from "../../test/support/node/listen.ts";
import { bundledEntry } from "../../test/support/recorded/bundled.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database[Symbol.asyncDispose]());

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** `npm run prices -- …args`, with a configuration file. */
async function prices(args: readonly string[], settings: object = {}, url = database.url): Promise<Ended> {
  const config = join(folder, "moraine.json");
  writeFileSync(config, JSON.stringify(settings));
  const env = { PATH: process.env["PATH"], MORAINE_CONFIG: config, DATABASE_URL: url };
  const command = [await bundledEntry("indexer/prices/main.ts"), ...args];
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

describe("npm run prices", () => {
  it("import brings a file in and says how much that was; a wrong line ends it with one line and 1", async () => {
    const file = join(folder, "prices.csv");
    writeFileSync(file, "asset,currency,timestamp,value\na,usd,1,2\na,eur,1,2\n");
    expect(await prices(["import", file])).toEqual({ code: 0, output: "2 prices are in\n" });
    writeFileSync(file, "asset,currency,timestamp,value\nb,usd,1,2\nb,eur,1,two\n");
    expect(await prices(["import", file])).toEqual({
      code: 1,
      output:
        'line 3, column 9: value must be a decimal number of at most 30 digits before the point, not negative, got "two"\n',
    });
    expect(await count()).toBe(2);
  });

  it("history brings an asset's past in, all currencies or none", async () => {
    let refused = "jpy";
    await using api = await listen((request, response) => {
      const isRefused = request.url?.includes(`vs_currency=${refused}`);
      response.writeHead(isRefused ? 500 : 200).end('{"prices":[[1000,1.5],[2000,1.25]]}');
    });
    const ask = () =>
      prices(["history", "--asset", "coin", "--from", "1970-01-01", "--to", "9"], { prices: { url: api.url } });
    expect(await ask()).toEqual({
      code: 1,
      output: "the source of prices answered HTTP 500 to /coins/coin/market_chart/range\n",
    });
    expect(await count()).toBe(0);
    refused = "none";
    expect(await ask()).toEqual({ code: 0, output: "28 prices are in\n" });
    expect(await count()).toBe(28);
  });

  it.each([
    [[], /^npm run prices -- import/],
    [["import"], /^npm run prices -- import/],
    [["import", "a.csv", "b.csv"], /^npm run prices -- import/],
    [["export", "a.csv"], /^npm run prices -- import/],
    [["import", "a.csv", "--asset", "a"], /^Unknown option '--asset'.*\n?npm run prices -- import/],
    [["history", "--until", "5"], /^Unknown option '--until'[\s\S]*as in:\nnpm run prices -- import/],
    [["history", "--asset"], /argument missing[\s\S]*as in:\nnpm run prices -- import/],
    [["import", "a.xls"], /^a file of prices must be named \.csv or \.json, got "a\.xls"\n$/],
    [["history", "--asset", "a", "--from", "1"], /^setting prices\.url is missing/],
  ])("%j is refused with a line that helps", async (args, says) => {
    expect(await prices(args)).toEqual({ code: 1, output: expect.stringMatching(says) });
  });

  it.each([
    [(url: string) => url.replace(/:\d+\//, ":1/"), /ECONNREFUSED/],
    [(url: string) => `${url}_none`, /database "\w+_none" does not exist/],
    [(url: string) => url.replace(/\/\/[^@]*@/, "//nobody:secret@"), /nobody/],
    [() => "postgresql://nobody:secret@[", /setting databaseUrl/],
  ])("says in one line, without the password, why the database cannot be used", async (changed, says) => {
    const file = join(folder, "good.csv");
    writeFileSync(file, "asset,currency,timestamp,value\na,usd,1,2\n");
    const { code, output } = await prices(["import", file], {}, changed(database.url));
    expect([code, output]).toEqual([1, expect.stringMatching(says)]);
    expect(output).toMatch(/^[^\n]+\n$/);
    expect(output).not.toContain("secret");
  });

  it("--help says what there is", async () => {
    const output = expect.stringMatching(/^npm run prices -- import [\s\S]*npm run prices -- history /);
    for (const args of [["--help"], ["history", "-h"]]) expect(await prices(args)).toEqual({ code: 0, output });
  });

  it.each([
    [["--from", "1"], "--asset must be an id of that API"],
    [["--asset", "a"], '--from must be seconds since the epoch or a date such as 2026-01-31, got ""'],
    [["--asset", "a", "--from", "yesterday"], "--from must be seconds since the epoch"],
    [["--asset", "a", "--from", "5", "--to", "5"], "--from must be before --to, got 5 and 5"],
  ])("history with %j is refused", async (args, says) => {
    const settings = { prices: { url: "http://127.0.0.1:1" } };
    expect(await prices(["history", ...args], settings)).toEqual({ code: 1, output: expect.stringContaining(says) });
  });
});
