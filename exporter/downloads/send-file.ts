import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import send from "send";

/**
 * Sends a file, or the part of it that the request asks for. The response has its `etag` already. Returns false if there is
 * no such file; then nothing is sent.
 */
export function sendFile(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
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
