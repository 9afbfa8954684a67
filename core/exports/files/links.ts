import { createHmac, timingSafeEqual } from "node:crypto";

/** An export whose file is complete. */
export interface ExportedFile {
  readonly operationId: string;
  readonly fileName: string;
}

/** Makes download URLs of exported files, for callers who may read the export. */
export interface FileLinks {
  /** A URL from which anyone can download the file until the URL expires. */
  urlOf(file: ExportedFile): Promise<string>;
}

export interface LocalLinkOptions {
  /** The installation's secret `download-links`. */
  readonly secret: Buffer;
  /** Base URL of the process that serves the files. A function: the port is known only when the server listens. */
  readonly publicUrl: () => string;
  readonly lifetimeSeconds: number;
  readonly nowSeconds: () => number;
}

/** Links to files in a local directory, signed, with the time at which they expire. */
export function createLocalLinks({ secret, publicUrl, lifetimeSeconds, nowSeconds }: LocalLinkOptions): FileLinks {
  return {
    async urlOf({ operationId }) {
      const expires = nowSeconds() + lifetimeSeconds;
      const path = linkPath(operationId, String(expires), signature(secret, operationId, expires));
      return new URL(`${publicUrl().replace(/\/$/, "")}${path}`).href;
    },
  };
}

/** Path and query of the link to an operation's file. */
export function linkPath(operationId: string, expires: string, signature: string): string {
  return `/v1/operations/${operationId}/file?${new URLSearchParams({ expires, signature })}`;
}

/** True if `given` is the signature of the link to this operation's file that expires at `expires`. It does not check the time. */
export function isSignatureOf(secret: Buffer, operationId: string, expires: number, given: string): boolean {
  const expected = Buffer.from(signature(secret, operationId, expires));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function signature(secret: Buffer, operationId: string, expires: number): string {
  return createHmac("sha256", secret).update(`${operationId} ${expires}`).digest("hex");
}
