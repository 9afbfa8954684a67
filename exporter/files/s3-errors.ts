import { messageOf } from "../../core/errors/errors.ts";
import { StoreRefused } from "./file-store.ts";

/** The upload does not exist any more, or its parts are not those that were recorded. The file must be written anew. */
export class UploadLost extends Error {}

/** The store cannot be reached, or asks to try again later. */
export class StoreUnavailable extends Error {}

const LOST: ReadonlySet<string> = new Set(["NoSuchUpload", "InvalidPart", "InvalidPartOrder"]);

/** What is wrong with the settings, by error code of the store. The texts do not contain values. */
const WRONG_SETTINGS: ReadonlyMap<string, string> = new Map([
  ["NoSuchBucket", "the bucket in the setting exports.s3.bucket does not exist"],
  ["InvalidBucketName", "the setting exports.s3.bucket is not the name of a bucket"],
  ["InvalidAccessKeyId", "the store does not know the access key in exports.s3.accessKeyId"],
  ["SignatureDoesNotMatch", "the setting exports.s3.secretAccessKey does not belong to exports.s3.accessKeyId"],
  [
    "AccessDenied",
    "the access key in exports.s3.accessKeyId has no permission for this request on the bucket in exports.s3.bucket",
  ],
  ["AuthorizationHeaderMalformed", "the setting exports.s3.region is not the region of the bucket"],
  ["PermanentRedirect", "the settings exports.s3.region and exports.s3.endpoint are not those of the bucket"],
  ["CredentialsProviderError", "the settings exports.s3.accessKeyId and exports.s3.secretAccessKey are not set"],
]);

/** Runs a request to the store. Throws one of the errors above, or `StoreRefused` if the request can never succeed. */
export async function usingS3<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): Error {
  const { name = "", $metadata } = Object(error) as {
    readonly name?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const reason = `${name}: ${messageOf(error)}`;
  if (LOST.has(name)) return new UploadLost(reason);
  const status = $metadata?.httpStatusCode;
  const wrong = WRONG_SETTINGS.get(name);
  if (!wrong && !isRefusal(status)) return new StoreUnavailable(reason);
  const why = wrong ?? `the store answered with HTTP status ${status} (${name}); check the settings exports.s3`;
  return new StoreRefused(`a request to the store of exported files failed: ${why}`, { cause: new Error(reason) });
}

/** False for statuses after which the same request can succeed. 501: the store does not implement this kind of request. */
function isRefusal(status = 0): boolean {
  return status === 501 || (status >= 300 && status < 500 && status !== 408 && status !== 429);
}
