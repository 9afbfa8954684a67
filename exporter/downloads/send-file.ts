import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import send from "send";
import type { CompleteFile } from "./complete-file.ts";

/**
 * Sends a file, or the part of it that the request asks for. The response has its `etag` already. Returns false if there is
 * no such file; then nothing is sent.
 */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { path, size }: Pick<CompleteFile, "path" | "size">,
): Promise<boolean> {
  if (asksForMoreThan(size, request.headers.range)) delete request.headers.range;
  return new Promise((resolve, reject) => {
    const options = { root: dirname(path), etag: false, cacheControl: false, dotfiles: "allow" } as const;
    send(request, `/${basename(path)}`, options)
      .on("error", (error: Error & { readonly status?: number }) => {
        if (error.status === 404) resolve(false);
        else reject(error);
      })
      .on("end", () => resolve(true))
      .pipe(response)
      .once("close", () => resolve(true));
  });
}

/** True for a range of the last bytes that is longer than the file. It means the whole file, but `send` refuses it. */
function asksForMoreThan(size: number, range: string | undefined): boolean {
  const length = /^bytes=-(\d+)$/.exec(range ?? "")?.[1];
  return length !== undefined && BigInt(length) >= BigInt(size) && size > 0;
}
