import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { contentDisposition, contentType } from "../../core/exports/files/file-headers.ts";
import type { ExportedFile } from "../../core/exports/files/links.ts";
import { objectKey, openS3, type S3Settings } from "../../core/exports/files/s3.ts";
import { parseJson } from "../../core/formats/json.ts";
import { type FileStore, type FileWriter, StoreRefused } from "./file-store.ts";
import { UploadLost, usingS3 } from "./s3-errors.ts";

/** S3 refuses smaller parts, except for the last one. */
const MIN_PART_BYTES = 5 << 20;

/** Longest wait for the answer to a request that makes a file complete, when the file is not wanted any more. */
const COMPLETE_GRACE_MS = 1_000;

const stateSchema = z.strictObject({
  uploadId: z.string(),
  parts: z.array(z.strictObject({ ETag: z.string(), PartNumber: z.number() })),
});

type Upload = z.infer<typeof stateSchema>;

/** The SDK and a client; loaded for the first file. */
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

async function loadSdk(settings: S3Settings) {
  const [client, commands] = await Promise.all([openS3(settings), import("@aws-sdk/client-s3")]);
  return { client, commands };
}

/** Objects of an S3-compatible store. Each file is one multipart upload, which continues after a restart. */
export function createS3Store(settings: S3Settings): FileStore {
  let loaded: Promise<Sdk> | undefined;
  const withSdk = async <Result>(task: (sdk: Sdk) => Promise<Result>): Promise<Result> => {
    loaded ??= loadSdk(settings);
    const sdk = await loaded;
    return usingS3(() => task(sdk));
  };
  const objectOf = (file: ExportedFile) => ({ Bucket: settings.bucket, Key: objectKey(settings, file) });
  return {
    begin: (file, signal) =>
      withSdk(async (sdk) => {
        const create = new sdk.commands.CreateMultipartUploadCommand({
          ...objectOf(file),
          ContentType: contentType(file),
          ContentDisposition: contentDisposition(file),
        });
        const created = await sdk.client.send(create, { abortSignal: signal });
        if (!created.UploadId) throw new Error("the S3 store returned no UploadId");
        return createWriter({ withSdk, object: objectOf(file), signal }, { uploadId: created.UploadId, parts: [] });
      }),
    async resume(file, { state }, signal) {
      const upload = parseUpload(state);
      return upload && createWriter({ withSdk, object: objectOf(file), signal }, upload);
    },
    async remove(file, state, signal) {
      const object = objectOf(file);
      await withSdk(({ client, commands }) =>
        client.send(new commands.DeleteObjectCommand(object), { abortSignal: signal }),
      );
      const upload = state === null ? null : parseUpload(state);
      if (upload) await withSdk((sdk) => abort(sdk, object, upload.uploadId, signal)).catch(ignoreLost);
      // A store that cannot list uploads, or does not allow it, has been reported when the file was begun.
      await withSdk((sdk) => abortUploads(sdk, { object, keptId: null }, signal)).catch(ignoreRefused);
    },
    // The store itself has no list that is cheap to read; uploads of ended operations are aborted when they end.
    removeUnneeded: async () => {},
  };
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

interface WriterDeps {
  readonly withSdk: <Result>(task: (sdk: Sdk) => Promise<Result>) => Promise<Result>;
  readonly object: ObjectName;
  readonly signal: AbortSignal;
}

function createWriter({ withSdk, object, signal }: WriterDeps, { uploadId, parts: earlierParts }: Upload): FileWriter {
  const parts = [...earlierParts];
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let completing: Promise<void> = Promise.resolve();
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  const upload = (): Promise<void> =>
    withSdk(async ({ client, commands }) => {
      const PartNumber = parts.length + 1;
      const Body = Buffer.concat(waiting);
      const sent = await client.send(
        new commands.UploadPartCommand({ ...object, UploadId: uploadId, PartNumber, Body }),
        { abortSignal: ended },
      );
      if (!sent.ETag) throw new Error("the S3 store returned no ETag");
      parts.push({ ETag: sent.ETag, PartNumber });
      waiting = [];
      waitingBytes = 0;
    });
  return {
    get state() {
      return JSON.stringify({ uploadId, parts });
    },
    async append(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= MIN_PART_BYTES) await upload();
      return waitingBytes === 0;
    },
    removeOthers: () => withSdk((sdk) => abortUploads(sdk, { object, keptId: uploadId }, ended)),
    async finish() {
      if (waitingBytes > 0) await upload();
      // Only `end` aborts it: see below.
      const command = { ...object, UploadId: uploadId, MultipartUpload: { Parts: [...parts] } };
      completing = withSdk(async ({ client, commands }) => {
        await client.send(new commands.CompleteMultipartUploadCommand(command), { abortSignal: end.signal });
      });
      await completing;
      return JSON.stringify({ uploadId, parts: [] });
    },
    async [Symbol.asyncDispose]() {
      // The store may complete the file in spite of an abort. Whoever deletes the file then must do that afterwards.
      await Promise.race([completing.catch(() => {}), sleep(COMPLETE_GRACE_MS, null, { ref: false })]);
      end.abort();
    },
  };
}

interface UploadsOf {
  readonly object: ObjectName;
  readonly keptId: string | null;
}

/** Aborts the object's unfinished uploads, except for `keptId`. */
async function abortUploads(sdk: Sdk, { object, keptId }: UploadsOf, signal: AbortSignal): Promise<void> {
  const unfinished = await listUploads(sdk, object, signal);
  for (const uploadId of unfinished) if (uploadId !== keptId) await abort(sdk, object, uploadId, signal);
}

async function abort(
  { client, commands }: Sdk,
  object: ObjectName,
  UploadId: string,
  abortSignal: AbortSignal,
): Promise<void> {
  await client.send(new commands.AbortMultipartUploadCommand({ ...object, UploadId }), { abortSignal });
}

function ignoreRefused(error: unknown): void {
  if (!(error instanceof StoreRefused)) throw error;
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof UploadLost)) throw error;
}

async function listUploads(
  { client, commands }: Sdk,
  { Bucket, Key }: ObjectName,
  abortSignal: AbortSignal,
): Promise<string[]> {
  const list = new commands.ListMultipartUploadsCommand({ Bucket, Prefix: Key });
  const { Uploads = [] } = await client.send(list, { abortSignal });
  return Uploads.flatMap((upload) => (upload.Key === Key && upload.UploadId ? [upload.UploadId] : []));
}

function parseUpload(state: string): Upload | null {
  return stateSchema.safeParse(parseJson(state)).data ?? null;
}
