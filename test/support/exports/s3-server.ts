import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A running S3-compatible server, with the setting `exports.s3` for it. */
export interface S3Server extends AsyncDisposable {
  readonly settings: Readonly<Record<string, unknown>> & { readonly bucket: string };
}

const SCRIPT = `
  const S3rver = require("s3rver");
  const [, directory, port] = process.argv;
  new S3rver({ address: "127.0.0.1", port: Number(port), silent: true, directory, configureBuckets: [{ name: "exports" }] })
    .run()
    .then(({ port }) => console.log(port));
  process.stdin.on("end", () => process.exit()).resume();`;

/** Starts s3rver in a process of its own, at a free port unless one is given. */
export async function startS3Server(port = 0): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "moraine-s3-"));
  const child = spawn(process.execPath, ["-e", SCRIPT, directory, String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    settings: s3Settings(Number(line.toString())),
    async [Symbol.asyncDispose]() {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The setting `exports.s3` for a server at this port. */
export function s3Settings(port: number): S3Server["settings"] {
  return {
    bucket: "exports",
    prefix: "files/",
    endpoint: `http://127.0.0.1:${port}`,
    forcePathStyle: true,
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
  };
}
