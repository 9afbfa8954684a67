import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { createTestDatabase } from "../support/database/database.ts";
import { until } from "./until.ts";

/** A copy of the project, with one more subgraph. */
const folder = mkdtempSync(join(tmpdir(), "moraine-subgraph-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LINE = `  { name: "weather", port: 4007, setting: "weatherSubgraphUrl", service: "weather", isProbed: true },`;

const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");

/** Copies all files except the recordings. */
function copyProject(): void {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  for (const file of files.trim().split("\n")) {
    if (/^recordings\/.*(?<!\.ts)$/.test(file)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(file, join(folder, file));
  }
  cpSync("prisma/client", join(folder, "prisma/client"), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  // The packages and the database client are present.
  writeFileSync(join(folder, "commands/setup.mjs"), "");
}

beforeAll(() => {
  copyProject();
  mkdirSync(join(folder, "subgraphs/weather"));
  for (const file of readdirSync("test/process/weather")) {
    const source = readFileSync(join("test/process/weather", file), "utf8");
    writeFileSync(join(folder, "subgraphs/weather", file), source.replaceAll("../../../subgraphs/", "../"));
  }
  const table = "core/config/subgraphs.ts";
  writeFileSync(join(folder, table), textOf(table).replace(/^\] as const satisfies/m, `${LINE}\n$&`));
  execFileSync(process.execPath, ["moraine", "generate"], { cwd: folder, stdio: "pipe" });
}, 180_000);

/** Starts the copy over a database. It is killed when disposed. */
async function startCopy(databaseUrl: string): Promise<AsyncDisposable & { readonly url: string }> {
  const env = { PATH: process.env["PATH"], DATABASE_URL: databaseUrl, PORT: "0", MORAINE_DEMO: "off" };
  const child = spawn(process.execPath, ["commands/run.mjs", "start"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let url: string | undefined;
  for await (const chunk of child.stdout) {
    url = /answers on (http:\/\/[\d.:]+)/.exec(String(chunk))?.[1];
    if (url !== undefined) break;
  }
  return {
    url: url ?? "",
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

describe("a new subgraph, which is a folder and a line in the table of subgraphs", () => {
  it("is composed, and is listed in the settings, the parts and docker-compose.parts.yml", () => {
    expect(textOf("gateway/supergraph.graphql")).toContain(
      '@join__graph(name: "weather", url: "http://127.0.0.1:4007/graphql")',
    );
    expect(textOf("subgraphs/weather/schema.graphql")).toContain("weather: Weather @semanticNonNull");
    expect(textOf("docs/configuration.md")).toContain("| `weatherSubgraphUrl` | `WEATHER_SUBGRAPH_URL` |");
    const help = execFileSync(process.execPath, ["moraine", "start", "--help"], { cwd: folder, encoding: "utf8" });
    expect(help).toMatch(/^ +--only .*(\n .*)*\bweather\b/m);
    const compose = parse(textOf("docker-compose.parts.yml"), { merge: true });
    expect(compose).toMatchObject({
      services: {
        weather: {
          command: "node moraine start --only weather",
          environment: { WEATHER_SUBGRAPH_URL: "http://weather:4000/graphql" },
        },
        gateway: { depends_on: expect.arrayContaining(["weather"]) },
      },
    });
  });

  it("is served, and probed by the health check", async () => {
    await using database = await createTestDatabase();
    await using copy = await startCopy(database.url);
    expect(await post(`${copy.url}/graphql`, { query: "{ weather { temperature } }" })).toEqual({
      data: { weather: { temperature: -7 } },
    });
    const health = { jsonrpc: "2.0", id: 1, method: "health.health", params: {} };
    let answer: unknown;
    // The first answers may come before the first run of the checks.
    await until(
      async () => {
        answer = await post(`${copy.url}/ext/health`, health);
        return !JSON.stringify(answer).includes("not yet run");
      },
      () => JSON.stringify(answer),
    );
    expect(answer).toMatchObject({
      result: { checks: { router: { message: { parts: { weather: { healthy: true } } } } } },
    });
  }, 120_000);
});
