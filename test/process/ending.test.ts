import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

const hasFile = (folder: string, pattern: RegExp): boolean =>
  existsSync(join(folder, "data")) &&
  readdirSync(join(folder, "data"), { recursive: true }).some((name) => pattern.test(String(name)));

const ANSWERS = /answers on (http:\/\/[\d.:]+)/;

describe("a process that is asked to end before its start is complete", () => {
  it.each<[when: string, file: RegExp]>([
    ["while the cluster is created", /postgres\.unfinished-\d+\/PG_VERSION$/],
    ["while PostgreSQL starts", /^postgres\/postmaster\.pid$/],
  ])(
    "%s ends with a non-zero code, leaves no process and no unfinished file, and starts the next time",
    async (_when, file) => {
      const folder = newFolder();
      const env = { MORAINE_DATA: join(folder, "data"), PORT: "0", MORAINE_DEMO: "full" };
      {
        await using first = await run("main.ts", env);
        await until(
          () => hasFile(folder, file),
          () => first.output(),
        );
        first.child.kill("SIGINT");
        expect(await once(first.child, "exit")).toEqual([130, null]);
        expect(processesOf(folder)).toEqual([]);
        expect(hasFile(folder, /unfinished|postmaster\.pid$/)).toBe(false);
      }
      await using second = await run("main.ts", env);
      await second.until(ANSWERS);
      second.child.kill("SIGTERM");
      expect(await once(second.child, "exit")).toEqual([0, null]);
      expect(processesOf(folder)).toEqual([]);
    },
  );
});

describe("`npm start`", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const)("ends the server when npm gets %s", async (signal) => {
    const folder = newFolder();
    const env = { MORAINE_DATA: join(folder, "data"), PORT: "0", MORAINE_DEMO: "full" };
    await using npm = startNpm(env);
    await npm.until(ANSWERS);
    expect(processesOf(folder)).not.toEqual([]);
    npm.child.kill(signal);
    await until(
      () => processesOf(folder).length === 0,
      () => processesOf(folder).join("\n"),
    );
  });
});

function startNpm(env: Readonly<Record<string, string>>): Pick<Running, "child" | "until"> & AsyncDisposable {
  const child: ChildProcess = spawn("npm", ["start"], {
    cwd: PROJECT,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
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
