import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PART_NAMES } from "../../commands/parts.ts";
import { heapLimitMegabytes } from "../../tools/build/heap-limit.mjs";
import { nodeOptions } from "../../tools/build/node-options.mjs";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** V8 adds the young generation to the limit: 48 MB by default, and more in later versions of Node.js. */
const MAX_YOUNG_MB = 200;

/** A project with the scripts of this one, in which each script prints the limit of the heap instead of starting its part. */
const folder = mkdtempSync(join(tmpdir(), "moraine-heap-"));
beforeAll(() => {
  for (const path of ["tools/build", "package.json", "exec.cmd", "moraine"])
    cpSync(join(PROJECT, path), join(folder, path), { recursive: true });
  mkdirSync(join(folder, "commands"));
  writeFileSync(
    join(folder, "commands/run.mjs"),
    'console.log(Math.round((await import("node:v8")).getHeapStatistics().heap_size_limit / 2 ** 20), process.argv[2]);',
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script of package.json as a user does. Returns the limit of the heap in MB, and the script that would run. */
async function limitOf(name: string, nodeOptions = ""): Promise<{ megabytes: number; script: string }> {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { stdout } = await promisify(execFile)("npm", ["run", "--silent", name], { cwd: folder, env });
  return resultOf(stdout);
}

function resultOf(output: string): { megabytes: number; script: string } {
  const [megabytes, script = ""] = output.trim().split(" ");
  return { megabytes: Number(megabytes), script };
}

describe("the limit of the heap of the API", () => {
  it.each([
    [0.25, 128],
    [0.5, 256],
    [1, 512],
    [2, 512],
    [3, 768],
    [4, 1_024],
    [64, 1_024],
  ])("is, with %d GB of memory, %d MB", (gigabytes, megabytes) => {
    expect(heapLimitMegabytes(gigabytes * 2 ** 30)).toBe(megabytes);
  });

  it("holds for the process that `npm start` starts", async () => {
    // 0 if the machine's memory is the only limit.
    const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    const chosen = heapLimitMegabytes(memoryBytes);
    const { megabytes, script } = await limitOf("start");
    expect(script).toBe("start");
    expect(megabytes).toBeGreaterThanOrEqual(chosen);
    expect(megabytes).toBeLessThan(chosen + MAX_YOUNG_MB);
  });

  it("is that of NODE_OPTIONS instead if it has one", async () => {
    const { megabytes } = await limitOf("start", "--no-warnings --max-old-space-size=300");
    expect(megabytes).toBeGreaterThanOrEqual(300);
    expect(megabytes).toBeLessThan(300 + MAX_YOUNG_MB);
  });

  it("holds for all parts of the API, and neither for the indexer, exports and signatures nor for other commands", () => {
    const limited = (part: string) => nodeOptions(["start", "--only", part]).join().includes("--max-old-space-size=");
    const others = PART_NAMES.filter((part) => !limited(part));
    expect(others).toEqual(["indexer", "exporter", "signatures"]);
    expect(nodeOptions(["start", "--only=indexer"])).toEqual([]);
    expect(nodeOptions(["start"])).toEqual(nodeOptions(["start", "--port", "5000"]));
    expect(nodeOptions(["replay", "--chain", "7"])).toEqual([]);
  });

  it("holds for the process of `moraine start`", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["moraine", "start"], { cwd: folder });
    expect(resultOf(stdout)).toEqual(await limitOf("start"));
  });
});
