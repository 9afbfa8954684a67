import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Config } from "../../core/config-schema.ts";

/** What a service process needs. It is sent to the process, since command lines can be read by others. */
export interface ServiceInput {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logLevel: string;
}

/** The service process sends this when it listens. */
export interface Listening {
  readonly port: number;
}

/** Sent to a service process that listens, which sends it back. */
export const PING = "ping";

export interface ServiceProcess {
  readonly pid: number | undefined;
  /** Resolves with the port when the process listens; never if it ends before. */
  readonly listening: Promise<number>;
  /** Resolves with how the process has ended. */
  readonly ended: Promise<string>;
  /** Asks the process, which must listen, for an answer. Resolves when there is one; never if there is none. */
  ping(): Promise<void>;
  /** Ends the process at once, also if it hangs. */
  kill(): void;
  /** Asks the process to end, and waits for that. */
  end(): Promise<void>;
}

/** A process that takes longer to end is killed. */
export const END_TIMEOUT_MS = 4_000;

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/** `script` is the one to run: it calls `runWorker`. */
export function forkService<Input extends ServiceInput>(input: Input, script = SCRIPT): ServiceProcess {
  const child = fork(script, {
    execArgv: nodeOptions(script),
    serialization: "advanced", // the configuration contains bigints
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  // If the process is gone already, `ended` says so.
  child.send(input, () => {});
  return {
    pid: child.pid,
    listening: listeningPort(child),
    ended,
    ping() {
      // After the first message, the process only answers pings. If it is gone already, `ended` says so.
      const answered = new Promise<void>((resolve) => child.once("message", () => resolve()));
      child.send(PING, () => {});
      return answered;
    },
    kill: () => void child.kill("SIGKILL"),
    async end() {
      if (child.connected) child.disconnect();
      // While its program is still being loaded, it does not notice that it is disconnected.
      child.kill();
      const timer = setTimeout(() => child.kill("SIGKILL"), END_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function listeningPort(child: ChildProcess): Promise<number> {
  const [{ port }] = (await once(child, "message").catch(() => new Promise(() => {}))) as [Listening];
  return port;
}

/** The options of this process, and the loader of TypeScript if only the script needs it. */
function nodeOptions(script: string): string[] {
  const own = process.execArgv;
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return own.includes("tsx") || !script.endsWith(".ts") ? own : [...own, "--import", tsx];
}
