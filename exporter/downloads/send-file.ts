import type { ReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import send from "send";
import { onResponseClose } from "../../core/http/connections.ts";
import { untilEarlierSent } from "../../core/http/earlier-responses.ts";
import type { CompleteFile } from "./complete-file.ts";

/**
 * Sends a file, or the part of it that the request asks for, when it is the turn of the response. The response has its `etag` already.
 * Returns false if there is no such file; then nothing is sent.
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { path, size }: Pick<CompleteFile, "path" | "size">,
): Promise<boolean> {
  if (asksForMoreThan(size, request.headers.range)) delete request.headers.range;
  if (!(await untilEarlierSent(response))) return true;
  return new Promise((resolve, reject) => {
    onResponseClose(response, () => resolve(true));
    const options = { root: dirname(path), etag: false, cacheControl: false, dotfiles: "allow" } as const;
    send(request, `/${basename(path)}`, options)
      .on("error", (error: Error & { readonly status?: number }) => {
        if (error.status === 404) resolve(false);
        else reject(error);
      })
      .on("end", () => resolve(true))
      // The package closes the file with the socket of the response, and misses a response that has closed before.
      .on("stream", (file: ReadStream) => onResponseClose(response, () => void file.destroy()))
      .pipe(response);
  });
}

/** True for a range of the last bytes that is longer than the file. It means the whole file, but `send` refuses it. */
function asksForMoreThan(size: number, range: string | undefined): boolean {
  const length = /^bytes=-(\d+)$/.exec(range ?? "")?.[1];
  return length !== undefined && BigInt(length) >= BigInt(size) && size > 0;
}
