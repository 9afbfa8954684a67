import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A process of the bench's own that serves something on a port; ended when disposed. */
export interface Child extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** Processor time that it has used, in milliseconds. */
  cpuMs(): Promise<number>;
}

/**
 * Starts a script of this folder with the options of this process (`--import tsx`, or `--cpu-prof` where one is looking
 * for hot spots), hands it a value, and waits until it says its port by `serveParent`.
 */
export async function startChild(script: string, input: unknown): Promise<Child> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = fork(path, [JSON.stringify(input)]);
  const ended = once(child, "exit").then(([code]) => Number(code));
  const answer = async (): Promise<number> => {
    const message = await Promise.race([nextMessage(child), ended.then(() => null)]);
    if (message === null) throw new Error(`${script} ended with ${await ended}`);
    return message;
  };
  const port = await answer();
  return {
    url: `http://127.0.0.1:${port}`,
    cpuMs() {
      child.send("cpu");
      return answer();
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.send("end");
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<number> {
  return new Promise((done) => child.once("message", (message) => done(Number(message))));
}

/** In a child: what it was handed. */
export function handedInput(): unknown {
  return JSON.parse(process.argv[2] ?? "null");
}

/** In a child: says the port, and does what the parent asks from then on. */
export function serveParent(port: number): void {
  process.on("message", (message) => {
    if (message === "end") process.exit();
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1_000);
  });
  // A parent that is gone, however it went, needs no children.
  process.on("disconnect", () => process.exit());
  process.send?.(port);
}
