import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bundledEntry } from "../support/recorded/bundled.ts";

/** A process of Moraine and its output; disposing it kills the process. */
export interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Its output so far, both streams. */
  output(): string;
  /** Waits for a match in its output; fails if the process ends, or after 60 s. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Run as `npm` does: all in one process, and what starts processes of its own. The others are bundled. */
const BY_LOADER: ReadonlySet<string> = new Set(["main.ts", "bench/main.ts"]);

/** Runs one of the entry points with just these variables set. */
export async function run(
  entry: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Running> {
  const script = BY_LOADER.has(entry) ? ["--import", "tsx", entry] : [await bundledEntry(entry)];
  const child = spawn(process.execPath, [...script, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, "exit");
  return {
    child,
    output: () => text,
    async until(pattern) {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const match = pattern.exec(text);
        if (match) return match;
        if (child.exitCode !== null || Date.now() > deadline)
          throw new Error(`${entry} did not print ${pattern}: ${text}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}
