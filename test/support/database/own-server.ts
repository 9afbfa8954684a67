import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../core/embedded-postgres/embedded-postgres.ts";

/** A PostgreSQL server for one test file; disposing it stops the server and removes its data. */
export interface OwnServer extends AsyncDisposable {
  /** Connection URL of an empty database. */
  readonly url: string;
  readonly directory: string;
}

/** Starts a server that no other test uses. Its database has no tables. */
export async function startOwnServer(): Promise<OwnServer> {
  const directory = mkdtempSync(join(tmpdir(), "moraine-server-"));
  // Where root runs the tests, the server runs as another account, which must be able to enter the directory.
  chmodSync(directory, 0o755);
  const server = await startEmbeddedPostgres(directory);
  return {
    url: server.url,
    directory,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
