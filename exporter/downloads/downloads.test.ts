import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileLinks } from "../../core/exports/files/file-links.ts";
import { type RunningServer, startServer } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { createNumberedSource } from "../../test/support/exports/numbered-source.ts";
import { parseFile, type StoredOperation, startOperation, untilEnded } from "../../test/support/exports/operations.ts";
import { expectSecureHeaders } from "../../test/support/security-headers.ts";
import { startExporter } from "../exporter.ts";
import { createDownloads, type Downloads } from "./downloads.ts";

let database: TestDatabase;
let server: RunningServer;
let operation: StoredOperation;
let now = 1_000;
const directory = mkdtempSync(join(tmpdir(), "moraine-downloads-"));
const config = testConfig({ exports: { directory, linkLifetimeSeconds: 60 } });
const logger = createLogger("silent");

beforeAll(async () => {
  database = await createTestDatabase();
  const source = createNumberedSource({ rows: 500, rowsPerDay: 100, batchRows: 100, delayMs: 0 });
  await using _exporter = startExporter({ config, databaseUrl: database.url, logger, createSource: () => source });
  operation = await untilEnded(database.pool, await startOperation(database.pool, { compression: "GZIP" }));
  const downloads = createDownloads({ config, pool: database.pool, logger, nowSeconds: () => now });
  server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler: downloads.handle });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function linkTo(operationId: string): Promise<string> {
  const serverUrl = () => `http://127.0.0.1:${server.port}`;
  const links = await createFileLinks({
    settings: config.exports,
    pool: database.pool,
    serverUrl,
    nowSeconds: () => now,
  });
  return links.urlOf({ operationId, fileName: "" });
}

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** `fetch` would decompress, and forbids some headers. */
function get(url: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

const linkToFile = () => linkTo(operation.operation_id);
const etag = () => `"${operation.sha256?.toString("hex")}"`;

/** What the documented error body says. */
function problem({ status, body, headers }: Got) {
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(headers["content-disposition"]).toBeUndefined();
  return { status, ...(JSON.parse(body.toString()) as object) };
}

describe("a process without the file", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "moraine-downloads-"));
  afterAll(() => rmSync(elsewhere, { recursive: true }));

  /** A server of another machine, which knows the others by its own URL, and the link with its address. */
  async function serveElsewhere(servedBy: (ownUrl: string) => string[]) {
    const handler: Downloads["handle"] = (request, response) => downloads.handle(request, response);
    const started = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler });
    const url = `http://127.0.0.1:${started.port}`;
    const other = testConfig({ exports: { directory: elsewhere, servedBy: servedBy(url) } });
    const downloads = createDownloads({ config: other, pool: database.pool, logger, nowSeconds: () => now });
    const link = (await linkToFile()).replace(/^http:\/\/[^/]+/, url);
    return { url, link, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
  }
  const here = () => `http://127.0.0.1:${server.port}`;

  it("passes the request on to the one that has it: the whole file, a part of it, its headers and conditions", async () => {
    await using without = await serveElsewhere(() => []);
    await using other = await serveElsewhere(() => [without.url, here()]);
    const doubled = await get(other.link.replace("/v1/", "//v1///"));
    expect(doubled.status).toBe(200);
    for (const [headers, method] of [
      [{}],
      [{ range: "bytes=0-99" }],
      [{ "if-none-match": etag() }],
      [{ "if-match": '"a"' }],
      [{}, "HEAD"],
    ] as const) {
      const direct = await get(await linkToFile(), headers, method);
      expect(direct.status).not.toBe(404);
      const passedOn = await get(other.link, headers, method);
      expect({ status: passedOn.status, body: passedOn.body }).toEqual({ status: direct.status, body: direct.body });
      for (const name of [
        "etag",
        "content-disposition",
        "content-length",
        "content-range",
        "content-type",
        "cache-control",
      ])
        expect([name, passedOn.headers[name]]).toEqual([name, direct.headers[name]]);
    }
  });

  it("answers 404 if no process has it, also if it names itself", async () => {
    await using other = await serveElsewhere(() => []);
    await using another = await serveElsewhere((ownUrl) => [other.url, ownUrl]);
    expect(problem(await get(another.link))).toMatchObject({ status: 404, error: "Not Found" });
  });

  it("answers 503 if a process that may have it does not answer", async () => {
    const closed = await serveElsewhere(() => []);
    await closed[Symbol.asyncDispose]();
    await using other = await serveElsewhere(() => [closed.url]);
    expect(problem(await get(other.link))).toMatchObject({
      status: 503,
      message: "a process that may have the file does not answer, try again later",
    });
  });
});

describe("a download link", () => {
  it("gives the file that the operation describes, as an attachment that only the caller may cache", async () => {
    const { status, headers, body } = await get(await linkToFile());
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/gzip",
      "content-disposition": `attachment; filename="${operation.file_name}"`,
      "content-length": operation.byte_count,
      "cache-control": "private",
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      etag: etag(),
    });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(parseFile(body, operation)).toHaveLength(500);
  });

  it("has security headers and a request id, also if it is refused or the answer to a preflight", async () => {
    const link = await linkToFile();
    const answers = [
      await get(link),
      await get(link, { "if-none-match": etag() }),
      await get(link, {}, "OPTIONS"),
      await get(link.replace(/&signature=.*/, "")),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 204, 403]);
    expect(answers[3]?.headers).toMatchObject({ "cache-control": "no-store" });
    for (const { headers } of answers) {
      expectSecureHeaders(Object.entries(headers));
      expect(headers["x-request-id"]).toEqual(expect.any(String));
    }
  });

  it("answers HEAD with the same headers and no body", async () => {
    const { status, headers, body } = await get(await linkToFile(), {}, "HEAD");
    expect({ status, length: headers["content-length"], body: body.length }).toEqual({
      status: 200,
      length: operation.byte_count,
      body: 0,
    });
  });

  it("gives a part of the file, from which an interrupted download continues", async () => {
    const whole = (await get(await linkToFile())).body;
    const first = await get(await linkToFile(), { range: "bytes=0-99" });
    expect(first.status).toBe(206);
    expect(first.headers["content-range"]).toBe(`bytes 0-99/${whole.length}`);
    const rest = await get(await linkToFile(), { range: "bytes=100-", "if-range": etag() });
    expect(rest.status).toBe(206);
    expect(Buffer.concat([first.body, rest.body])).toEqual(whole);
  });

  it("gives the last bytes of the file, or the whole file if it has fewer", async () => {
    const whole = (await get(await linkToFile())).body;
    const last = await get(await linkToFile(), { range: "bytes=-10" });
    expect({ status: last.status, body: last.body }).toEqual({ status: 206, body: whole.subarray(-10) });
    for (const length of [whole.length, whole.length + 1, "9".repeat(30)]) {
      const { status, body } = await get(await linkToFile(), { range: `bytes=-${length}` });
      expect({ status, length: body.length }).toEqual({ status: 200, length: whole.length });
    }
  });

  it("gives the whole file if it is not the one that If-Range names", async () => {
    const { status, body } = await get(await linkToFile(), { range: "bytes=100-", "if-range": '"other"' });
    expect({ status, length: body.length }).toEqual({ status: 200, length: Number(operation.byte_count) });
  });

  it("answers 304 if the caller has the file, 412 if it is not the one of If-Match, and 416 for a range outside it", async () => {
    expect(await get(await linkToFile(), { "if-none-match": etag() })).toMatchObject({ status: 304 });
    const other = await get(await linkToFile(), { "if-match": '"other"' });
    expect(problem(other)).toMatchObject({ status: 412, statusCode: 412, error: "Precondition Failed" });
    const outside = await get(await linkToFile(), { range: "bytes=999999-" });
    expect(problem(outside)).toMatchObject({ status: 416, statusCode: 416, error: "Range Not Satisfiable" });
    expect(outside.headers["content-range"]).toBe(`bytes */${operation.byte_count}`);
  });

  it("compares the tags of If-Match and If-Range strongly: a weak tag never matches", async () => {
    const weak = `W/${etag()}`;
    for (const tags of [weak, `"other", ${weak}`, `${weak}, W/"other"`])
      expect(problem(await get(await linkToFile(), { "if-match": tags }))).toMatchObject({ status: 412 });
    for (const tags of [etag(), `"other",${etag()}`, `${weak}, ${etag()}`, "*"]) {
      const old = { "if-match": tags, "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" };
      expect((await get(await linkToFile(), old)).status).toBe(200);
    }
    const { status, body } = await get(await linkToFile(), { range: "bytes=100-", "if-range": weak });
    expect({ status, length: body.length }).toEqual({ status: 200, length: Number(operation.byte_count) });
    expect((await get(await linkToFile(), { "if-none-match": weak })).status).toBe(304);
  });

  it.each([
    ["a trailing slash", (link: string) => link.replace("/file?", "/file/?")],
    ["duplicate slashes", (link: string) => link.replace("/v1/operations/", "//v1///operations//")],
  ])("works with %s in its path", async (_what, change) => {
    expect((await get(change(await linkToFile()))).status).toBe(200);
  });

  it("is refused with 403 after it has expired", async () => {
    const link = await linkToFile();
    now += 60;
    expect(problem(await get(link))).toEqual({
      status: 403,
      statusCode: 403,
      error: "Forbidden",
      message: "the link has expired: read the operation again for a new downloadUrl",
    });
  });

  it.each([
    ["another operation", (link: string) => link.replace(/[^/]+(?=\/file)/, randomUUID())],
    ["a later time", (link: string) => link.replace(/expires=\d+/, "expires=99999999999")],
    ["another signature", (link: string) => link.replace(/signature=.*/, `signature=${"00".repeat(32)}`)],
    ["a time that is no number", (link: string) => link.replace(/expires=\d+/, "expires=1e12")],
    ["no signature", (link: string) => link.replace(/&signature=.*/, "")],
    ["no parameters", (link: string) => link.replace(/\?.*/, "")],
  ])("is refused with 403 if it is changed to %s", async (_what, change) => {
    const changed = change(await linkToFile());
    const { status, message } = problem(await get(changed)) as { status: number; message: string };
    expect({ status, message }).toEqual({ status: 403, message: expect.stringMatching(/use the downloadUrl/) });
  });

  it("answers 404 for an operation that does not exist, one without a file, and a file that is gone", async () => {
    const running = await startOperation(database.pool);
    for (const id of [randomUUID(), running])
      expect(problem(await get(await linkTo(id)))).toMatchObject({
        status: 404,
        message: `operation ${id} has no file: it does not exist, has not completed, or has expired`,
      });
    for (const name of readdirSync(directory)) rmSync(join(directory, name));
    expect(problem(await get(await linkToFile()))).toMatchObject({ status: 404 });
  });
});
