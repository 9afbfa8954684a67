import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { exchangeBytes } from "../support/node/listen.ts";
import { type Running, run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-limits-"));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Part extends AsyncDisposable {
  readonly process: Running;
  readonly port: number;
}

async function start(entry: string, settings: object): Promise<Part> {
  const MORAINE_CONFIG = join(folder, "moraine.json");
  writeFileSync(MORAINE_CONFIG, JSON.stringify(settings));
  const env = { MORAINE_CONFIG, PORT: "0", LOG_LEVEL: "silent", MORAINE_DATA: folder, DATABASE_URL: database.url };
  const process = await run(entry, env);
  const [, port] = await process.until(/ http:\/\/127\.0\.0\.1:(\d+)/);
  return { process, port: Number(port), [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/** Sends a request on a new connection. Returns the `Connection` header of the response. */
async function connectionHeader(port: number): Promise<string | undefined> {
  const agent = new Agent({ keepAlive: true });
  const [response] = (await once(get({ port, agent }), "response")) as [IncomingMessage];
  agent.destroy();
  return response.headers.connection;
}

describe("a part in a process of its own", () => {
  it("limits the connections of an address to the port of the exporter", async () => {
    await using exporter = await start("start --only exporter", { connectionsPerAddress: 1 });
    const open = connect(exporter.port, "127.0.0.1");
    await once(open, "connect");
    expect(await exchangeBytes(exporter.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/^HTTP\/1\.1 503 /);
    open.destroy();
  });

  it.each(["start --only exporter", "start --only signatures", "start --only metrics"])(
    "accepts connections for `shutdown.delaySeconds` after SIGTERM: %s",
    async (entry) => {
      await using part = await start(entry, { shutdown: { delaySeconds: 300 } });
      expect(await connectionHeader(part.port)).toBe("keep-alive");
      part.process.child.kill("SIGTERM");
      while ((await connectionHeader(part.port)) !== "close") await new Promise((done) => setTimeout(done, 20));
    },
  );
});
