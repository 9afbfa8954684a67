import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bundledCommand } from "../../test/support/bundled.ts";

const LIMIT = 200;
/** Sets both limits, because Node.js raises the soft one to the hard one. Other systems have no /proc. */
const LIMITED = ["-c", `ulimit -n ${LIMIT} && exec "$0" "$@"`, process.execPath];
const itOnLinux = process.platform === "linux" ? it : it.skip;

describe("the descriptors of a process", () => {
  itOnLinux("are reported as soon as nearly all are open, and when all are", async () => {
    const command = bundledCommand("test/support/descriptor-process.ts");
    const { stdout } = await promisify(execFile)("sh", [...LIMITED, ...command]);
    const answers = JSON.parse(stdout) as (string | null)[];

    expect(answers[0]).toBeNull();
    // One or two of them are those with which the process counts.
    expect(answers.find((answer) => answer !== null)).toMatch(
      /^the process has 19[12] of at most 200 file descriptors open: raise/,
    );
    expect(answers.at(-2)).toMatch(/^the process can open no more files: raise the limit/);
    expect(answers.at(-1)).toBeNull();
  });
});
