import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from "@aws-sdk/client-s3";
import { z } from "zod";
import type { Compression } from "../../core/database/operations.ts";
import { createFileLinks } from "../../core/exports/files/file-links.ts";
import { openS3, type S3Settings } from "../../core/exports/files/s3.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startExporter } from "../../exporter/exporter.ts";
import { TIMINGS } from "../../exporter/timings.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { startKillableExporter } from "../support/exports/killable-exporter.ts";
import { createNumberedSource, exportedRows, type NumberedOptions } from "../support/exports/numbered-source.ts";
import {
  cancelOperation,
  parseFile,
  readOperation,
  type StoredOperation,
  startOperation,
  untilEnded,
  untilNoJobs,
  untilOperation,
} from "../support/exports/operations.ts";
import { until } from "../support/indexed/indexing.ts";
import { startTcpProxy } from "../support/node/tcp-proxy.ts";

/** `http://<access key id>:<secret>@<host>:<port>/<bucket>`. The bucket exists. */
const SERVER = process.env["MORAINE_TEST_S3"];

/** Three parts of at least 5 MiB, and a rest. */
const SOURCE: NumberedOptions = { rows: 6_900, rowsPerDay: 1_000, batchRows: 300, delayMs: 0, padding: 2_500 };
const PARTS = { partRows: 600, sweepMs: 100, cleanUpMs: 100, deadAfterMs: 300, maxRetryMs: 200 };

function settingsOf(url: URL, test: string): S3Settings {
  return {
    bucket: url.pathname.slice(1),
    prefix: `moraine-test/${test}/${Date.now()}/`,
    region: "us-east-1",
    endpoint: url.origin,
    forcePathStyle: true,
    accessKeyId: url.username,
    secretAccessKey: url.password,
  };
}

interface Started {
  readonly source?: Partial<NumberedOptions>;
  readonly nowSeconds?: () => number;
}

function start(database: TestDatabase, s3: S3Settings, { source, ...rest }: Started = {}) {
  return startExporter({
    config: testConfig({ exports: { s3 } }),
    databaseUrl: database.url,
    logger: createLogger("silent"),
    createSource: () => createNumberedSource({ ...SOURCE, ...source }),
    timings: { ...TIMINGS, ...PARTS },
    ...rest,
  });
}

async function linkTo(database: TestDatabase, s3: S3Settings, operation: StoredOperation): Promise<string> {
  const { exports: settings } = testConfig({ exports: { s3 } });
  const links = await createFileLinks({ settings, pool: database.pool, serverUrl: () => "", nowSeconds: () => 0 });
  return links.urlOf({ operationId: operation.operation_id, fileName: operation.file_name ?? "" });
}

/** Downloads the file by its link, compares it with the rows of the source, and looks for unfinished uploads. */
async function expectFile(database: TestDatabase, s3: S3Settings, operation: StoredOperation): Promise<void> {
  expect(operation).toMatchObject({ operation_status: "COMPLETED", message: null });
  const link = await linkTo(database, s3, operation);
  const response = await fetch(link);
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${operation.file_name}"`);
  expect(response.headers.get("content-encoding")).toBeNull();
  const file = Buffer.from(await response.arrayBuffer());
  expect(parseFile(file, operation)).toEqual(exportedRows(1, SOURCE.rows, SOURCE.rowsPerDay, SOURCE.padding));
  const part = await fetch(link, { headers: { range: `bytes=100-${file.length - 2}` } });
  expect(part.status).toBe(206);
  const partHash = createHash("sha256").update(Buffer.from(await part.arrayBuffer()));
  expect(partHash.digest("hex")).toBe(createHash("sha256").update(file.subarray(100, -1)).digest("hex"));
  expect(await stored(s3)).toEqual({ objects: 1, uploads: [] });
}

/** What the bucket contains with the prefix of a test. */
async function stored(s3: S3Settings): Promise<{ readonly objects: number; readonly uploads: (string | undefined)[] }> {
  const client = await openS3(s3);
  const list = { Bucket: s3.bucket, Prefix: s3.prefix };
  const { KeyCount = 0 } = await client.send(new ListObjectsV2Command(list));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(list));
  return { objects: KeyCount, uploads: Uploads.map(({ UploadId }) => UploadId) };
}

const EMPTY = { objects: 0, uploads: [] };

const checkpoint = z.object({ rows: z.number(), store: z.string() });
const upload = z.object({ uploadId: z.string(), parts: z.array(z.unknown()) });
const stateOf = (operation: StoredOperation) => upload.parse(JSON.parse(storeOf(operation)));

/** The state of the store, which is in the checkpoint of an operation that runs, and is that of an operation that has ended. */
function storeOf({ checkpoint: text }: StoredOperation): string {
  const running = checkpoint.safeParse(JSON.parse(text ?? "{}"));
  return running.success ? running.data.store : (text ?? "{}");
}

const hasParts = ({ checkpoint: text }: StoredOperation): boolean =>
  checkpoint.safeParse(JSON.parse(text ?? "{}")).data?.rows !== 0 && text !== null;
const untilPart = (database: TestDatabase, id: string) => untilOperation(database.pool, id, hasParts, "a part");

const describeWithServer = SERVER ? describe : describe.skip;

describeWithServer("an S3-compatible server (skipped unless MORAINE_TEST_S3 names one)", () => {
  const url = new URL(SERVER ?? "http://unset/bucket");

  it.each<Compression>(["NONE", "GZIP"])(
    "serves a file that was uploaded in parts (compression %s)",
    async (compression) => {
      await using database = await createTestDatabase();
      const s3 = settingsOf(url, "parts");
      await using _exporter = start(database, s3);
      const operation = await untilEnded(database.pool, await startOperation(database.pool, { compression }));
      await expectFile(database, s3, operation);
    },
  );

  it("continues the upload of a killed worker", async () => {
    await using database = await createTestDatabase();
    const s3 = settingsOf(url, "killed");
    await using worker = await startKillableExporter();
    const source = { ...SOURCE, delayMs: 60 };
    worker.begin({ config: { exports: { s3 } }, databaseUrl: database.url, source, timings: PARTS });
    const id = await startOperation(database.pool);
    const before = await untilPart(database, id);
    await worker.kill();
    await using _exporter = start(database, s3);
    const operation = await untilEnded(database.pool, id);
    expect(stateOf(operation).uploadId).toBe(stateOf(before).uploadId);
    await expectFile(database, s3, operation);
  });

  it("has neither object nor upload of a cancelled export", async () => {
    await using database = await createTestDatabase();
    const s3 = settingsOf(url, "cancelled");
    await using _exporter = start(database, s3, { source: { delayMs: 100 } });
    const id = await startOperation(database.pool);
    await untilPart(database, id);
    expect((await stored(s3)).uploads).toHaveLength(1);
    await cancelOperation(database.pool, id);
    expect(await untilEnded(database.pool, id)).toMatchObject({ operation_status: "FAILED", is_cancelled: true });
    await untilNoJobs(database.pool);
    expect(await stored(s3)).toEqual(EMPTY);
  });

  it("gets the file anew if its upload is lost", async () => {
    await using database = await createTestDatabase();
    const s3 = settingsOf(url, "lost");
    await using _exporter = start(database, s3, { source: { delayMs: 60 } });
    const id = await startOperation(database.pool);
    const { uploadId } = stateOf(await untilPart(database, id));
    const client = await openS3(s3);
    const Key = `${s3.prefix}${id}/transactions-evm-${id.slice(0, 8)}.csv`;
    await client.send(new AbortMultipartUploadCommand({ Bucket: s3.bucket, Key, UploadId: uploadId }));
    const operation = await untilEnded(database.pool, id);
    expect(stateOf(operation).uploadId).not.toBe(uploadId);
    await expectFile(database, s3, operation);
  });

  it("gets the file anew if it has other parts than those that were recorded", async () => {
    await using database = await createTestDatabase();
    const s3 = settingsOf(url, "etag");
    await using worker = await startKillableExporter();
    const source = { ...SOURCE, delayMs: 60 };
    worker.begin({ config: { exports: { s3 } }, databaseUrl: database.url, source, timings: PARTS });
    const id = await startOperation(database.pool);
    const before = await untilPart(database, id);
    await worker.kill();
    const [etag] = /[0-9a-f]{32}/.exec(before.checkpoint ?? "") ?? [""];
    const text = "UPDATE operations SET checkpoint = replace(checkpoint, $2, $3) WHERE operation_id = $1";
    await database.pool.query(text, [id, etag, "0".repeat(32)]);
    await using _exporter = start(database, s3);
    const operation = await untilEnded(database.pool, id);
    expect(stateOf(operation).uploadId).not.toBe(stateOf(before).uploadId);
    await expectFile(database, s3, operation);
  });

  it("has no upload that a worker began and did not record before it was killed", async () => {
    await using database = await createTestDatabase();
    const s3 = settingsOf(url, "unrecorded");
    const id = await startOperation(database.pool);
    const client = await openS3(s3);
    const Key = `${s3.prefix}${id}/transactions-evm-${id.slice(0, 8)}.csv`;
    await client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key }));
    expect((await stored(s3)).uploads).toHaveLength(1);
    await using _exporter = start(database, s3);
    await expectFile(database, s3, await untilEnded(database.pool, id));
  });

  it("can be away for a while", async () => {
    await using database = await createTestDatabase();
    await using proxy = await startTcpProxy(url.href);
    const s3 = settingsOf(url, "away");
    await using _exporter = start(
      database,
      { ...s3, endpoint: proxy.through(url.origin) },
      { source: { delayMs: 60 } },
    );
    const id = await startOperation(database.pool);
    const before = await untilPart(database, id);
    proxy.cut();
    const queued = "SELECT attempts FROM graphile_worker.jobs WHERE key = $1";
    const attempts = async () => (await database.pool.query<{ attempts: number }>(queued, [id])).rows[0]?.attempts ?? 0;
    await until(attempts, (count) => count > 1, "another attempt");
    proxy.restore();
    const operation = await untilEnded(database.pool, id);
    expect(stateOf(operation).uploadId).toBe(stateOf(before).uploadId);
    await expectFile(database, s3, operation);
  });

  it("has no object of an export that has expired", async () => {
    await using database = await createTestDatabase();
    const s3 = settingsOf(url, "expired");
    let now = 1_000;
    await using _exporter = start(database, s3, { nowSeconds: () => now });
    const id = await startOperation(database.pool);
    await untilEnded(database.pool, id);
    expect((await stored(s3)).objects).toBe(1);
    now += 604_800;
    await until(
      () => readOperation(database.pool, id),
      (operation) => operation === undefined,
      "the operation to be deleted",
    );
    expect(await stored(s3)).toEqual(EMPTY);
  });

  it.each<[string, Partial<S3Settings>]>([
    ["exports.s3.bucket", { bucket: "moraine-no-such-bucket" }],
    // Stores have different error codes for it.
    ["exports.s3", { accessKeyId: "NOBODY" }],
    ["exports.s3.secretAccessKey", { secretAccessKey: "not-the-secret" }],
  ])("that refuses the file ends the export with the name of the wrong setting: %s", async (setting, wrong) => {
    await using database = await createTestDatabase();
    await using _exporter = start(database, { ...settingsOf(url, "refused"), ...wrong });
    const operation = await untilEnded(database.pool, await startOperation(database.pool));
    expect(operation).toMatchObject({ operation_status: "FAILED", code: "ErrInternal" });
    expect(operation.message).toContain(setting);
    expect(operation.message).not.toContain(Object.values(wrong)[0]);
  });
});
