import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bundledCommand } from "../support/bundled.ts";

/** A running process of Moraine. It is killed when disposed. */
export interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The text that the process has printed so far, on standard output and standard error. */
  output(): string;
  /** Resolves with the first match in the output. Throws if the process ends without one, or after 60 s. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** The entry point that is not part of the build. */
const BY_LOADER = "tools/bench/main.ts";

/** Starts a command line of `moraine`, such as `start --only indexer`, or the bench. Its environment is `PATH` and these variables. */
export async function run(
  entry: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Running> {
  const script = entry === BY_LOADER ? ["--import", "tsx", entry] : bundledCommand(entry);
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

/** Exit code and output of a command line of `moraine`, which ends by itself. */
export async function ended(entry: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  await using process = await run(entry, env, args);
  // At `exit`, some of the output may not have arrived yet.
  const [code] = (await once(process.child, "close")) as [number | null];
  return { code, output: process.output() };
}

/** True if the process has not ended. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
