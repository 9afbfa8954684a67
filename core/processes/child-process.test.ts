import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forkProcess } from "./child-process.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-fork-"));
const script = join(folder, "script.mjs");
const optionsOfThisProcess = process.execArgv;
beforeAll(() => writeFileSync(script, "process.send(process.execArgv); process.on('disconnect', () => {});"));
afterAll(() => {
  process.execArgv = optionsOfThisProcess;
  rmSync(folder, { recursive: true, force: true });
});

/** Options of Node.js of a process that one with `execArgv` forks. */
async function optionsOfForked(execArgv: string[], nodeOptions: readonly string[]): Promise<unknown> {
  process.execArgv = execArgv;
  const { child, ended } = forkProcess({ script, nodeOptions, endTimeoutMs: 1_000 });
  const [options] = await once(child, "message");
  child.disconnect();
  await ended;
  return options;
}

describe("a forked process", () => {
  it("has the options of Node.js of this process and its own, but not the limit of the heap", async () => {
    const options = ["--max-old-space-size=1024", "--no-warnings"];
    expect(await optionsOfForked(options, ["--expose-gc"])).toEqual(["--no-warnings", "--expose-gc"]);
  });

  it("can have a limit of its own", async () => {
    const own = ["--max-old-space-size=160"];
    expect(await optionsOfForked(["--max-old-space-size=1024"], own)).toEqual(own);
  });
});
