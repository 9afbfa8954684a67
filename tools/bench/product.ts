import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type RunningProcess, runningProcesses } from "./processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const POLL_MS = 10;
/** The main process, below npm and perhaps a shell. */
const MAIN = "commands/run.mjs start";

export interface ProductInput {
  readonly port: number;
  readonly dataDirectory: string;
}

/** What `npm start` runs. Disposing it ends the main process, which ends the others, and waits for npm. */
export interface Product extends AsyncDisposable {
  readonly url: string;
  /** Time from the command to the first answer of `GET /v1/chains`, in milliseconds. */
  readonly firstAnswerMs: number;
  /** The processes that are written in JavaScript, npm first. */
  processes(): ProductProcess[];
}

export interface ProductProcess {
  readonly name: string;
  readonly pid: number;
}

/** Runs `npm start` as a user does, with the settings of the environment, and waits for the first answer. */
export async function startProduct({ port, dataDirectory }: ProductInput): Promise<Product> {
  const startedAt = performance.now();
  const env = { ...process.env, PORT: String(port), MORAINE_DATA: dataDirectory };
  const npm = spawn("npm", ["start"], { cwd: ROOT, env, stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (npm.exitCode !== null) throw new Error(`npm start has ended with code ${npm.exitCode}`);
    await sleep(POLL_MS);
  }
  return {
    url,
    firstAnswerMs: performance.now() - startedAt,
    processes: () => descendants(npm.pid ?? 0),
    [Symbol.asyncDispose]: () => end(npm),
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/chains`);
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

async function end(npm: ChildProcess): Promise<void> {
  const ended = once(npm, "exit");
  const main = descendants(npm.pid ?? 0).find(({ name }) => name === "main");
  if (main) process.kill(main.pid, "SIGTERM");
  if (npm.exitCode === null && npm.signalCode === null) await ended;
}

function descendants(pid: number): ProductProcess[] {
  const all = runningProcesses();
  const below = (parent: number): RunningProcess[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  const named = [...all.filter((one) => one.pid === pid), ...below(pid)].map((one) => ({
    name: nameOf(one.command),
    pid: one.pid,
  }));
  return named.flatMap(({ name, pid }) => (name === null ? [] : [{ name, pid }]));
}

/** Null for PostgreSQL, and for shells. */
function nameOf(command: string): string | null {
  if (command.startsWith("npm ")) return "npm";
  if (!/^\S*node /.test(command)) return null;
  if (command.includes(MAIN)) return "main";
  return /(\w+)\/(?:process|demo)\/worker\./.exec(command)?.[1] ?? "other";
}
