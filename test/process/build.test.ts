import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findLines, linesFile } from "../../tools/build/source-map.mjs";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** A project with few sources, which is built as this one is. */
const folder = mkdtempSync(join(tmpdir(), "moraine-build-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeVersion(version: string): void {
  writeFileSync(join(folder, "version.ts"), `export const version: number = ${version};`);
}

beforeAll(() => {
  cpSync(join(PROJECT, "test/process/small-project"), folder, { recursive: true });
  for (const path of ["tools/build", "commands/run.mjs"])
    cpSync(join(PROJECT, path), join(folder, path), { recursive: true });
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "commands/setup.mjs"), "");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});

interface Started extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Writes a line, if one is given, and returns the next line of the output. */
  answer(line?: string): Promise<string>;
}

function start(...args: string[]): Started {
  const command = ["--import", "./tools/build/source-positions.mjs", "commands/run.mjs", ...args];
  const child = spawn(process.execPath, command, { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    async answer(line) {
      if (line !== undefined) child.stdin.write(`${line}\n`);
      return String((await lines.next()).value);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

const builds = () => readdirSync(join(folder, ".build"));

/** Makes builds look as if no process had started or ended for an hour. */
function makeOld(names: readonly string[]): void {
  const hourAgo = Date.now() / 1_000 - 3_600;
  for (const name of names)
    for (const path of [name, join(name, "users")]) utimesSync(join(folder, ".build", path), hourAgo, hourAgo);
}

describe("the build", () => {
  it("is made by the first of several processes, and serves a process until its end, whatever is built later", async () => {
    await using first = start("one", "two");
    await using second = start();
    expect(await first.answer()).toBe("started 1 one,two");
    expect(await second.answer()).toBe("started 1 ");
    const [old = "", ...others] = builds();
    expect(others).toEqual([]);
    makeOld([old]);
    writeVersion("2");
    await using third = start();
    expect(await third.answer()).toBe("started 2 ");
    expect(builds()).toHaveLength(2);
    expect([await first.answer("load"), await first.answer("fork")]).toEqual(["late 1", "worker 1"]);
    expect([await third.answer("load"), await third.answer("fork")]).toEqual(["late 2", "worker 2"]);
    expect(await first.answer("names")).toBe("Refusal Refusal");
    expect(await first.answer("fail")).toMatch(/[/\\]late\.ts:6:10\)?$/);
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    makeOld(builds());
    writeVersion("3");
    await using last = start();
    expect(await last.answer()).toBe("started 3 ");
    expect(existsSync(join(folder, ".build", old))).toBe(false);
    expect(builds()).toHaveLength(2);
  });

  it("has the places where the lines of source maps begin, which a process that describes an error reads", async () => {
    await using first = start();
    await first.answer();
    const maps = readdirSync(join(folder, ".build"), { recursive: true })
      .map((name) => join(folder, ".build", String(name)))
      .filter((file) => file.endsWith(".map"));
    expect(maps.length).toBeGreaterThan(1);
    for (const file of maps)
      expect(readFileSync(linesFile(file)).equals(findLines(readFileSync(file, "utf8")))).toBe(true);
    // Without lines, a map has no positions.
    for (const file of maps) writeFileSync(linesFile(file), "");
    expect(await first.answer("fail")).toMatch(/\.mjs:\d+:\d+\)?$/);
  });

  it("begins a stack trace with the name and the message of the error, also if the error has a `toString` of its own", async () => {
    await using process = start();
    await process.answer();
    expect(await process.answer("titles")).toBe("Error: failed,<error>");
  });

  it("fails with the reason, without a stack trace and with exit code 1, if a source has an error", async () => {
    writeVersion("");
    const child = spawn(process.execPath, ["commands/run.mjs"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
    expect(await once(child, "close")).toEqual([1, null]);
    expect(text).toMatch(/^Building Moraine …\s+. \[ERROR\] Unexpected ";"\s+version\.ts:1:31:/);
    expect(text).not.toMatch(/^ +at /m);
  });
});
