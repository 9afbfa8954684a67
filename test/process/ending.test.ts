import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "../support/database/database.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { type Running, run } from "./processes.ts";
import { until } from "./until.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "moraine-ending-"));
  // PostgreSQL's account must be able to enter it if root runs the tests.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Command lines of the running processes that name the folder. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => (existsSync(`/proc/${pid}/cmdline`) ? readCommand(pid) : ""))
    .filter((command) => command.includes(folder));
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Names in the data directory, and in its cluster if that is complete. */
function filesOf(folder: string): string[] {
  return ["data", "data/postgres"].flatMap((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)).map((file) => `${name}/${file}`) : [],
  );
}

const hasFile = (folder: string, pattern: RegExp): boolean => filesOf(folder).some((file) => pattern.test(file));

/** Starts take long on a busy machine. */
const TIMEOUT_MS = 180_000;
const ANSWERS = /answers on (http:\/\/[\d.:]+)/;

describe("a process that is asked to end before its start is complete", () => {
  it.each(
    sampled<[when: string, file: RegExp]>(
      [
        ["while the cluster is created", /^data\/postgres\.unfinished-\d+$/],
        ["while PostgreSQL starts", /^data\/postgres\/postmaster\.pid$/],
      ],
      1,
    ),
  )(
    "%s ends with a non-zero code, leaves no process and no unfinished file, and starts the next time",
    async (_when, file) => {
      const folder = newFolder();
      const env = { MORAINE_DATA: join(folder, "data"), PORT: "0", MORAINE_DEMO: "off" };
      {
        await using first = await run("start", env);
        await until(
          () => hasFile(folder, file),
          () => first.output(),
        );
        first.child.kill("SIGINT");
        expect(await once(first.child, "exit")).toEqual([130, null]);
        expect(processesOf(folder)).toEqual([]);
        expect(hasFile(folder, /unfinished|postmaster\.pid$/)).toBe(false);
      }
      await using second = await run("start", env);
      await second.until(ANSWERS);
      second.child.kill("SIGTERM");
      // After "exit", the last lines may not have arrived yet.
      expect(await once(second.child, "close")).toEqual([0, null]);
      expect(second.output()).toMatch(/SIGTERM was received: the process stops.*the process ends/s);
      expect(processesOf(folder)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe("a process that cannot close its resources in time", () => {
  it.each(["SIGTERM", "crash"])(
    "asks the embedded server to stop, which then runs no longer: %s",
    async (cause) => {
      const folder = newFolder();
      const script = fileURLToPath(new URL("blocked-end.ts", import.meta.url));
      const child = spawn(process.execPath, ["--import", "tsx", script, join(folder, "data")], { cwd: PROJECT });
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      await until(
        () => text.includes("started"),
        () => text,
      );
      expect(hasFile(folder, /postmaster\.pid$/)).toBe(true);
      child.kill(cause === "SIGTERM" ? "SIGTERM" : "SIGUSR2");
      expect(await once(child, "close")).toEqual([1, null]);
      expect(text).toMatch(cause === "SIGTERM" ? /did not close its resources within/ : /Error: a bug/);
      await until(
        () => !hasFile(folder, /postmaster\.pid$/),
        () => processesOf(folder).join("\n"),
      );
    },
    TIMEOUT_MS,
  );
});

const SIGNALS = isFullRun ? (["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) : (["SIGINT", "SIGKILL"] as const);

describe("`npm start`", () => {
  it.each(SIGNALS)(
    "indexes the demo as a role that only owns its database, and ends the server when npm gets %s",
    async (signal) => {
      await using database = await createTestDatabase();
      const { rows } = await database.pool.query(
        "SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = current_user",
      );
      expect(rows).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false }]);
      const env = { DATABASE_URL: database.url, MORAINE_DATA: join(newFolder(), "data"), PORT: "0", LOG_LEVEL: "warn" };
      await using npm = startNpm({ ...env, MORAINE_DEMO: "full" });
      const [, url = ""] = await npm.until(ANSWERS);
      // On a busy machine, the API answers before all blocks are indexed.
      const newest = async () => {
        const response = await fetch(`${url}/v1/chains/760011/blocks?pageSize=1`);
        return ((await response.json()) as { blocks?: { blockNumber: string }[] }).blocks?.[0]?.blockNumber;
      };
      await until(async () => (await newest()) === "234", npm.output);
      // No right was missing.
      expect(npm.output()).not.toMatch(/permission denied|must be (owner|superuser)|indexing failed|could not be made/);
      const isListening = () =>
        fetch(`${url}/v1/chains`).then(
          ({ status }) => status === 200,
          () => false,
        );
      expect(await isListening()).toBe(true);
      npm.child.kill(signal);
      await until(
        async () => !(await isListening()),
        () => `${url} still answers`,
      );
    },
    TIMEOUT_MS,
  );
});

function startNpm(
  env: Readonly<Record<string, string>>,
): Pick<Running, "child" | "output" | "until"> & AsyncDisposable {
  const child: ChildProcess = spawn("npm", ["start"], {
    cwd: PROJECT,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    output: () => text,
    until: (pattern) =>
      until(
        () => pattern.exec(text),
        () => text,
      ),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    },
  };
}
