import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createFileLinks } from "../../core/exports/files/file-links.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { startKillableExporter } from "../../test/support/exports/killable-exporter.ts";
import {
  createNumberedSource,
  exportedRows,
  type NumberedOptions,
} from "../../test/support/exports/numbered-source.ts";
import {
  cancelOperation,
  parseFile,
  readOperation,
  type StoredOperation,
  startOperation,
  untilEnded,
  untilNoJobs,
  untilOperation,
} from "../../test/support/exports/operations.ts";
import { type S3Server, s3Settings, startS3Server } from "../../test/support/exports/s3-server.ts";
import { isFullRun } from "../../test/support/full.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { freePort, listen } from "../../test/support/node/listen.ts";
import { startExporter } from "../exporter.ts";
import { TIMINGS } from "../timings.ts";

/** Two parts of at least 5 MiB, and a rest. */
const SOURCE: NumberedOptions = { rows: 4_600, rowsPerDay: 1_000, batchRows: 300, delayMs: 0, padding: 2_500 };
const PARTS = {
  partRows: 600,
  sweepMs: 100,
  cleanUpMs: 100,
  deadAfterMs: 300,
  maxRetryMs: 200,
  storePatienceMs: 200,
  stopGraceMs: 500,
};
const WAITS = "the store of exported files has not answered yet; the export waits for it";
const logger = createLogger("silent");

function start(
  database: TestDatabase,
  settings: S3Server["settings"],
  source: NumberedOptions = SOURCE,
  nowSeconds?: () => number,
) {
  return startExporter({
    config: testConfig({ exports: { s3: settings } }),
    databaseUrl: database.url,
    logger,
    createSource: () => createNumberedSource(source),
    timings: { ...TIMINGS, ...PARTS },
    ...(nowSeconds ? { nowSeconds } : {}),
  });
}

async function linkTo(database: TestDatabase, s3: S3Server["settings"], operation: StoredOperation): Promise<string> {
  const links = await createFileLinks({
    settings: testConfig({ exports: { s3 } }).exports,
    pool: database.pool,
    serverUrl: () => "",
    nowSeconds: () => 0,
  });
  return links.urlOf({ operationId: operation.operation_id, fileName: operation.file_name ?? "" });
}

/** Downloads the file by its link and compares it with the rows of the source. */
async function expectFile(database: TestDatabase, s3: S3Server["settings"], operation: StoredOperation): Promise<void> {
  expect(operation.operation_status).toBe("COMPLETED");
  const response = await fetch(await linkTo(database, s3, operation));
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${operation.file_name}"`);
  const rows = parseFile(Buffer.from(await response.arrayBuffer()), operation);
  expect(rows).toEqual(exportedRows(1, SOURCE.rows, SOURCE.rowsPerDay, SOURCE.padding));
}

const hasParts = ({ checkpoint }: StoredOperation): boolean => JSON.parse(checkpoint ?? "{}").rows > 0;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3[Symbol.asyncDispose]());

describe("an export to an S3-compatible store", () => {
  it.each(isFullRun ? ["stops", "is killed"] : ["stops"])(
    "is uploaded in parts, continued after the last one when its worker %s, and downloaded from the store",
    async (end) => {
      await using database = await createTestDatabase();
      const slow = { ...SOURCE, delayMs: 60 };
      const before = await (end === "stops" ? stopAfterPart : killAfterPart)(database, slow);
      await using _exporter = start(database, s3.settings);
      const operation = await untilEnded(database.pool, before.operation_id);
      expect(uploadOf(operation.checkpoint)).toEqual(uploadOf(JSON.parse(before.checkpoint ?? "{}").store));
      await expectFile(database, s3.settings, operation);
    },
  );

  it("leaves no object when it is cancelled", async () => {
    await using database = await createTestDatabase();
    await using _exporter = start(database, s3.settings, { ...SOURCE, delayMs: 100 });
    const id = await startOperation(database.pool);
    const running = await untilOperation(database.pool, id, hasParts, "a part");
    await cancelOperation(database.pool, id);
    expect(await untilEnded(database.pool, id)).toMatchObject({ operation_status: "FAILED", is_cancelled: true });
    await untilNoJobs(database.pool);
    const named = { ...running, file_name: `transactions-evm-${id.slice(0, 8)}.csv` };
    expect((await fetch(await linkTo(database, s3.settings, named))).status).toBe(404);
  });

  it("leaves no object when it is cancelled while the store makes it complete", async () => {
    await using database = await createTestDatabase();
    await using proxy = await startProxy(String(s3.settings["endpoint"]), async ({ method, url = "" }) => {
      if (method !== "POST" || !url.includes("uploadId=")) return;
      const [, id = ""] = /files\/([0-9a-f-]+)\//.exec(url) ?? [];
      await cancelOperation(database.pool, id);
      // The store answers late: the object must not be deleted before.
      await sleep(300);
    });
    await using _exporter = start(database, { ...s3.settings, endpoint: proxy.url }, { ...SOURCE, rows: 100 });
    const id = await startOperation(database.pool);
    const operation = await untilEnded(database.pool, id);
    expect(operation).toMatchObject({ operation_status: "FAILED", is_cancelled: true });
    await untilNoJobs(database.pool);
    const named = { ...operation, file_name: `transactions-evm-${id.slice(0, 8)}.csv` };
    expect((await fetch(await linkTo(database, s3.settings, named))).status).toBe(404);
  });

  it("waits for a store that is not available, with the reason as its message, and is complete when it is again", async () => {
    await using database = await createTestDatabase();
    const port = await freePort();
    await using _exporter = start(database, s3Settings(port), { ...SOURCE, rows: 100 });
    const id = await startOperation(database.pool);
    const waiting = await untilOperation(database.pool, id, ({ message }) => message !== null, "the reason");
    expect(waiting).toMatchObject({
      operation_status: "RUNNING",
      message: expect.stringMatching(/^an attempt failed because the store of exported files was not available/),
    });
    await using server = await startS3Server(port);
    const operation = await untilEnded(database.pool, id);
    expect(operation).toMatchObject({ operation_status: "COMPLETED", row_count: "100", message: null });
    expect((await fetch(await linkTo(database, server.settings, operation))).status).toBe(200);
  });

  it("says that it waits for a store that accepts requests and does not answer, and lets go of it when it is cancelled", async () => {
    await using database = await createTestDatabase();
    await using silent = await startSilentServer();
    await using _exporter = start(database, s3Settings(silent.port));
    const id = await startOperation(database.pool);
    const waiting = await untilOperation(database.pool, id, ({ message }) => message !== null, "the reason");
    expect(waiting).toMatchObject({ operation_status: "RUNNING", message: WAITS });
    await cancelOperation(database.pool, id);
    expect(await untilEnded(database.pool, id)).toMatchObject({
      operation_status: "FAILED",
      message: "the export was cancelled",
    });
    await untilNoJobs(database.pool);
    await until(
      async () => silent.connections(),
      (count) => count === 0,
      "the requests to end",
    );
  });

  it("is given back by a worker that stops while the store does not answer", async () => {
    await using database = await createTestDatabase();
    await using silent = await startSilentServer();
    const exporter = start(database, s3Settings(silent.port));
    const id = await startOperation(database.pool);
    await untilOperation(database.pool, id, ({ message }) => message === WAITS, "the reason");
    // An expired operation, whose object the upkeep tries to delete meanwhile.
    const expired = await startOperation(database.pool);
    await cancelOperation(database.pool, expired);
    await untilEnded(database.pool, expired);
    await database.pool.query("UPDATE operations SET expires_at = 0 WHERE operation_id = $1", [expired]);
    await exporter[Symbol.asyncDispose]();
    const { rows } = await database.pool.query("SELECT attempts, locked_by FROM graphile_worker.jobs WHERE key = $1", [
      id,
    ]);
    expect(rows).toEqual([{ attempts: 0, locked_by: null }]);
    await until(
      async () => silent.connections(),
      (count) => count === 0,
      "the requests to end",
    );
  });

  it("is deleted with its object when it has expired, also if the store cannot list uploads", async () => {
    await using database = await createTestDatabase();
    let now = 1_000;
    await using _exporter = start(database, s3.settings, { ...SOURCE, rows: 100 }, () => now);
    const id = await startOperation(database.pool);
    const operation = await untilEnded(database.pool, id);
    now += 604_800;
    const find = () => readOperation(database.pool, id);
    await until(find, (found) => found === undefined, "the operation to be deleted");
    expect((await fetch(await linkTo(database, s3.settings, operation))).status).toBe(404);
  });

  it("that cannot be deleted after it has expired does not stop the deletion of others", async () => {
    await using database = await createTestDatabase();
    let now = 1_000;
    let kept = "";
    await using proxy = await startProxy(String(s3.settings["endpoint"]), async ({ method, url = "" }) => {
      if (method === "DELETE" && url.includes(kept)) throw new Error("this file cannot be deleted");
    });
    const settings = { ...s3.settings, endpoint: proxy.url };
    await using _exporter = start(database, settings, { ...SOURCE, rows: 100 }, () => now);
    kept = await startOperation(database.pool);
    const other = await startOperation(database.pool);
    for (const id of [kept, other]) await untilEnded(database.pool, id);
    // So that the operation that cannot be deleted comes first.
    await database.pool.query("UPDATE operations SET expires_at = 0 WHERE operation_id = $1", [kept]);
    now += 604_800;
    const find = () => readOperation(database.pool, other);
    await until(find, (found) => found === undefined, "the other operation to be deleted");
    expect(await readOperation(database.pool, kept)).toMatchObject({ operation_status: "COMPLETED" });
  });

  it("that the store refuses ends as failed, with the name of the wrong setting", async () => {
    await using database = await createTestDatabase();
    await using _exporter = start(database, { ...s3.settings, bucket: "no-such-bucket" });
    const id = await startOperation(database.pool);
    expect(await untilEnded(database.pool, id)).toMatchObject({
      operation_status: "FAILED",
      code: "ErrInternal",
      message:
        "a request to the store of exported files failed: the bucket in the setting exports.s3.bucket does not exist",
    });
    expect(await readOperation(database.pool, id)).toMatchObject({ file_name: null, sha256: null });
  });
});

/** Starts an export and stops its worker after a part. Returns the operation as it was after that part. */
async function stopAfterPart(database: TestDatabase, source: NumberedOptions): Promise<StoredOperation> {
  await using _exporter = start(database, s3.settings, source);
  // Awaited here: otherwise the worker would stop before.
  return await untilOperation(database.pool, await startOperation(database.pool), hasParts, "a part");
}

/** As `stopAfterPart`, with a worker in a process of its own that is killed. */
async function killAfterPart(database: TestDatabase, source: NumberedOptions): Promise<StoredOperation> {
  await using worker = await startKillableExporter();
  const config = { exports: { s3: s3.settings } };
  worker.begin({ config, databaseUrl: database.url, source, timings: PARTS });
  const before = await untilOperation(database.pool, await startOperation(database.pool), hasParts, "a part");
  await worker.kill();
  return before;
}

/** The multipart upload that the state of a file names. */
function uploadOf(state: string | null): string {
  return z.object({ uploadId: z.string() }).parse(JSON.parse(state ?? "{}")).uploadId;
}

/** Passes requests on to a server, each after `before`. If that throws, the answer is 403. */
function startProxy(target: string, before: (request: IncomingMessage) => Promise<void>) {
  return listen(async (request, response) => {
    const isPassed = await before(request).then(
      () => true,
      () => false,
    );
    if (!isPassed) return void response.writeHead(403).end();
    const { method, headers, url = "" } = request;
    const passed = httpRequest(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
}

/** Accepts connections, reads what they send, and answers nothing. */
async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on("error", () => {})
      .on("close", () => sockets.delete(socket))
      .resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    port,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
