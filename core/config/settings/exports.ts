import { z } from "zod";
import { filePath, positive, SECRET, url } from "./fields.ts";

const s3 = z
  .strictObject({
    bucket: z.string().min(1).describe("Name of the bucket. It must exist."),
    prefix: z.string().default("").describe("Text that the keys of all files begin with, such as `exports/`."),
    region: z.string().min(1).default("us-east-1").describe("Region of the bucket."),
    endpoint: url
      .optional()
      .describe("URL of an S3-compatible store. If not set, the endpoint of AWS for the region is used."),
    forcePathStyle: z
      .boolean()
      .default(false)
      .describe(
        "Whether the bucket is in the path of URLs instead of the host name. Most stores other than AWS need it.",
      ),
    accessKeyId: z
      .string()
      .min(1)
      .meta(SECRET)
      .optional()
      .describe("Access key id. If not set, the AWS SDK looks for credentials in the environment."),
    secretAccessKey: z
      .string()
      .min(1)
      .meta(SECRET)
      .optional()
      .describe("Secret access key that belongs to `accessKeyId`."),
  })
  .refine(({ accessKeyId, secretAccessKey }) => accessKeyId !== undefined || secretAccessKey === undefined, {
    path: ["accessKeyId"],
    message: "must be set if secretAccessKey is set",
  })
  .refine(({ accessKeyId, secretAccessKey }) => secretAccessKey !== undefined || accessKeyId === undefined, {
    path: ["secretAccessKey"],
    message: "must be set if accessKeyId is set",
  });

/** The setting `exports`. */
export const exportSettings = z.strictObject({
  isOn: z
    .boolean()
    .default(true)
    .describe("Whether `npm start` runs export jobs. Set it to `false` if they run in a process of their own."),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe(
      "Maximum number of export jobs that one process runs at the same time. Each uses two database connections.",
    ),
  directory: filePath
    .optional()
    .describe("Directory of the exported files, if `s3` is not set. If not set: `exports` in `dataDirectory`."),
  s3: s3.optional().describe("S3-compatible store for the exported files, instead of a directory."),
  publicUrl: url
    .optional()
    .describe(
      "Base URL of download links: the URL at which callers reach the process that serves the files. If not set: `http://<host>:<port>`, which callers cannot use if `host` is `0.0.0.0` or `::`. Links to files in S3 do not use it.",
    ),
  servedBy: z
    .array(url)
    .default([])
    .describe(
      "Base URLs of other processes that may have exported files in their own directories, such as exporters and APIs on other machines. If this process does not have a file that is downloaded, it passes the request on to them. Not needed with `s3` or a shared directory.",
    ),
  linkLifetimeSeconds: positive
    .max(604_800)
    .default(3_600)
    .describe("Time for which a download link is valid, in seconds. Each read of the operation returns a new link."),
  fileLifetimeSeconds: positive
    .default(604_800)
    .describe("Time after the end of a job, in seconds, after which the operation and its file are deleted."),
  maxRows: positive
    .default(10_000_000)
    .describe(
      "An export with more rows than this is truncated. The file contains whole days, at most this many rows in all; the operation has `WarnTruncatedExport` and `nextDate`. If the first day alone has more rows, the file contains that whole day.",
    ),
  maxRunningPerKey: positive
    .default(10)
    .describe("Maximum number of export jobs of one API key, or of all callers without a key, that run or wait."),
  maxRunning: positive.default(100).describe("Maximum number of export jobs of all callers that run or wait."),
});
