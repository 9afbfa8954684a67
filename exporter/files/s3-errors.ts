import { messageOf } from "../../core/errors.ts";
import { StoreRefused } from "./file-store.ts";

/** The upload does not exist any more, or its parts are not those that were recorded. The file must be written anew. */
export class UploadLost extends Error {}

/** The store cannot be reached, or asks to try again later. */
export class StoreUnavailable extends Error {}

const LOST: ReadonlySet<string> = new Set(["NoSuchUpload", "InvalidPart", "InvalidPartOrder"]);

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
  const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isRefused) return new StoreRefused("the store of exported files refused the file", { cause: new Error(reason) });
  return new StoreUnavailable(reason);
}
