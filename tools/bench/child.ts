import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A child process that serves a port. Disposing it ends the process. */
export interface Child extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  /** A number that the child knows by this name: `cpu`, `memory`, or a name that it passed to `serveParent`. */
  ask(name: string): Promise<number>;
  /** Processor time that it has used, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Memory that it uses now (its resident set), in bytes. */
  memoryBytes(): Promise<number>;
}

/**
 * Starts a script with the Node options of this process (such as `--cpu-prof` for a profile) and with `nodeOptions`, passes it a value, and waits until it
 * reports its port by `serveParent`.
 */
export async function startChild(script: URL, input: unknown, nodeOptions: readonly string[] = []): Promise<Child> {
  const path = fileURLToPath(script);
  const child = fork(path, [JSON.stringify(input)], { execArgv: [...process.execArgv, ...nodeOptions] });
  const ended = once(child, "exit").then(([code]) => Number(code));
  const answer = async (): Promise<number> => {
    const message = await Promise.race([nextMessage(child), ended.then(() => null)]);
    if (message === null) throw new Error(`${path} ended with ${await ended}`);
    return message;
  };
  const ask = (name: string): Promise<number> => {
    child.send(name);
    return answer();
  };
  const port = await answer();
  return {
    url: `http://127.0.0.1:${port}`,
    ask,
    cpuMs: () => ask("cpu"),
    memoryBytes: () => ask("memory"),
    async [Symbol.asyncDispose]() {
      if (child.connected) child.send("end");
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<number> {
  return new Promise((done) => child.once("message", (message) => done(Number(message))));
}

/** In a child: the value that the parent passed. */
export function parentInput(): unknown {
  return JSON.parse(process.argv[2] ?? "null");
}

/** Numbers that a child knows, by name. */
type KnownNumbers = Readonly<Record<string, () => number | Promise<number>>>;

const PROCESS_NUMBERS: KnownNumbers = {
  memory: () => process.memoryUsage.rss(),
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

/** In a child: reports the port, then answers the parent's questions. */
export function serveParent(port: number, numbers: KnownNumbers = {}): void {
  const known = { ...PROCESS_NUMBERS, ...numbers };
  process.on("message", async (name) => {
    if (name === "end") process.exit();
    process.send?.(await known[String(name)]?.());
  });
  // The child must not outlive its parent.
  process.on("disconnect", () => process.exit());
  process.send?.(port);
}
