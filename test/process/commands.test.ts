import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { COMMANDS, GROUPS } from "../../commands/definitions/commands.ts";
import type { Command } from "../../commands/program/command.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { ended, run } from "./processes.ts";
import { until } from "./until.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-commands-"));
// The server's account must be able to enter the directory if root runs the tests.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A text without its line breaks, because the help breaks lines at the width of the terminal. */
const unbroken = (text: string): string => text.replace(/\s+/g, " ");

describe("moraine --help", () => {
  it("lists every command, and so does a call without arguments, which ends with 1", async () => {
    const { code, output } = await ended("--help");
    expect(code).toBe(0);
    const top = COMMANDS.filter(({ name }) => !name.includes(" ")).map(({ name }) => name);
    const listed = [...output.matchAll(/^ {2}moraine (\S+) /gm)].map(([, name]) => name);
    expect(listed).toEqual([...top, ...Object.keys(GROUPS)]);
    expect(await ended("")).toEqual({ code: 1, output });
  });

  it.each(Object.keys(GROUPS))("lists the commands below %s", async (group) => {
    const { code, output } = await ended(`${group} --help`);
    expect(code).toBe(0);
    const listed = [...output.matchAll(/^ {2}moraine (\S+ \S+) /gm)].map(([, name]) => name);
    expect(listed).toEqual(COMMANDS.map(({ name }) => name).filter((name) => name.startsWith(`${group} `)));
  });

  it.each(sampled(COMMANDS, 8))(
    "says of $name what it does, whether the service may run, how long it takes, its options, exit codes and examples",
    async ({ name, summary, service, duration, options = {}, placed = {}, examples, exitCodes = {} }: Command) => {
      const { code, output } = await ended(`${name} -h`);
      expect(code).toBe(0);
      const text = unbroken(output);
      expect(text.toLowerCase()).toContain(summary.toLowerCase());
      for (const part of [
        `The service: ${service}`,
        `Takes: ${duration}`,
        "Exit codes: 0 ",
        ...Object.values(exitCodes),
      ])
        expect(text).toContain(unbroken(part));
      for (const option of Object.keys(options)) expect(output).toMatch(new RegExp(`^ +--${option} `, "m"));
      for (const argument of Object.keys(placed)) expect(output).toContain(`<${argument}>`);
      for (const example of examples) expect(text).toContain(`moraine ${example}`);
    },
  );

  it("of start names the page of all settings, and no line of a help is longer than 100 characters", async () => {
    const { output } = await ended("start --help");
    expect(output).toContain("docs/configuration.md");
    expect(output.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

describe("wrong arguments are refused in one line, with exit code 1, before anything starts", () => {
  it.each(
    sampled<[what: string, line: string, expected: RegExp]>(
      [
        ["an unknown command", "repair", /^there is no command "repair": give one of start, status, /],
        ["a command that is similar to another", "key list", /^there is no command "key" \(did you mean "keys"\?\): /],
        [
          "no command of a group",
          "keys",
          /^a command of keys must be given: create, list, limit, revoke; moraine keys --help/,
        ],
        ["an unknown command of a group", "keys creat", /^there is no command "creat" \(did you mean "create"\?\): /],
        [
          "an unknown option",
          "gaps --chain 7 --repiar",
          /^there is no option --repiar \(did you mean "--repair"\?\); moraine gaps --help/,
        ],
        ["an unknown setting", "start --prot 5000", /^there is no option --prot \(did you mean "--port"\?\); /],
        ["another command's option", "replay --chain 7 --repair", /^there is no option --repair; /],
        ["an option of the other backfill", "backfill traces --chain 7 --all", /^there is no option --all/],
        ["a missing option", "backfill traces", /^--chain must be given; moraine backfill traces --help/],
        ["missing options", "export --type evm", /^--address, --chain, and --out must be given; /],
        ["a missing argument", "keys revoke", /^<name> must be given; moraine keys revoke --help/],
        ["missing arguments", "abi add all", /^<address> and <source> must be given; /],
        [
          "an argument too many, which may be a secret",
          "keys list postgresql://a:b@c/d",
          /^an argument is too many; moraine keys list --help/,
        ],
        ["an option without its value", "start --only", /^--only has no value: give it as --only=<value>; /],
        ["a value that looks like an option", "backfill traces --chain 7 --from -x", /^--from has no value: /],
        [
          "a value that is not among the choices",
          "export --type evn --address a --chain 7 --out f",
          /^--type is "evn": must be one of evm, primary-network, /,
        ],
        ["an option that is given twice", "gaps --chain 7 --chain 8", /^--chain is given more than once$/m],
        [
          "a range that ends before it begins",
          "backfill traces --chain 7 --from 50 --to 10",
          /^--from must be at most --to, got 50 and 10$/m,
        ],
        ["no block number", "backfill traces --chain 7 --from x", /^--from is "x": must be a block number$/m],
        ["a token of no contract", "backfill metadata --chain 7 --token 5", /^--token needs --contract; /],
        ["neither chain nor network", "replay", /^give either --chain or --network$/m],
        ["an unknown part", "start --only api,web", /^--only: there is no part "web"; the parts are api, indexer, /],
        ["a part that cannot run beside the API", "start --only api,rest", /^--only: rest cannot run beside api/],
        ["two parts without the API", "start --only indexer,exporter", /^--only: give one part, or api with others/],
        ["something else to generate", "generate something", /^an argument is too many; /],
      ],
      8,
    ),
  )("%s: moraine %s", async (_what, line, expected) => {
    const { code, output } = await ended(line);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(expected) });
    expect(output).toMatch(/^[^\n]+\n$/);
    expect(output).not.toContain("a:b");
  });
});

describe("settings of a command", () => {
  it("are those of the file, over them those of variables, over them flags", async () => {
    const MORAINE_CONFIG = join(folder, "settings.json");
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ databaseUrl: "file" }));
    const inFile = await ended("keys list", [], { MORAINE_CONFIG });
    const missing = (place: string) => join(folder, place);
    expect(inFile.output).toMatch(/^setting databaseUrl must be a URL/);
    const settings = (dataDirectory: string) => writeFileSync(MORAINE_CONFIG, JSON.stringify({ dataDirectory }));
    settings(missing("of-file"));
    const noDatabase = (place: string) =>
      expect.stringContaining(`no database in the data directory "${missing(place)}"`);
    expect((await ended("keys list", [], { MORAINE_CONFIG })).output).toEqual(noDatabase("of-file"));
    const env = { MORAINE_CONFIG, MORAINE_DATA: missing("of-variable") };
    expect((await ended("keys list", [], env)).output).toEqual(noDatabase("of-variable"));
    const flag = ["--data-directory", missing("of-flag")];
    expect((await ended("keys list", flag, env)).output).toEqual(noDatabase("of-flag"));
  });
});

describe("the file moraine", () => {
  const project = process.cwd();
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const EXPECTED = `moraine ${version}, Node.js ${process.versions.node}\n`;

  it("runs as `node moraine` and as `npx moraine` in a clone, from any working directory", async () => {
    const execute = promisify(execFile);
    const ends = await Promise.all([
      execute(process.execPath, [join(project, "moraine"), "version"], { cwd: folder }),
      execute("npx", ["moraine", "version"], { cwd: project }),
    ]);
    expect(ends.map(({ stdout }) => stdout)).toEqual([EXPECTED, EXPECTED]);
    const { stdout } = await execute(process.execPath, ["moraine", "version", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ version, node: process.versions.node });
  });

  it("ends with the exit code of the command", () => {
    const { status, stderr } = spawnSync(process.execPath, ["moraine", "keys", "revoke"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^<name> must be given/)]);
  });

  // With Node.js 20, the file waits for a second process. From Node.js 22.15 on, it replaces itself (`process.execve`); the signal then reaches the
  // command directly. The rule is the same.
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "passes %s on, and ends with the code of the command: %d before the start is complete",
    async (signal, code) => {
      const GATEWAY_URL = "http://127.0.0.1:1/graphql";
      const env = { PATH: process.env["PATH"], MORAINE_DEMO: "off", GATEWAY_URL, PORT: "0", LOG_LEVEL: "info" };
      const child = spawn(process.execPath, ["moraine", "start", "--only", "rest"], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const end = once(child, "exit");
      await until(
        () => /the gateway/.exec(output),
        () => output,
      );
      child.kill(signal);
      expect(await end).toEqual([code, null]);
    },
  );
});

describe("moraine completion", () => {
  it("completes commands, commands of a group and options in bash", async () => {
    // The program by its name, as `npm link` installs it.
    symlinkSync(join(process.cwd(), "moraine"), join(folder, "moraine"));
    const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
    const script = `source <(moraine completion)
      complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _moraine_yargs_completions; echo "\${COMPREPLY[*]}"; }
      complete_line moraine ke; complete_line moraine keys re; complete_line moraine gaps --re`;
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { env: { PATH, SHELL: "/bin/bash" } });
    expect(stdout.trim().split("\n")).toEqual(["keys", "revoke", "--repair"]);
  });
});

(isFullRun ? it : it.skip)("an interrupted bench leaves neither a server nor its data", async () => {
  const TMPDIR = mkdtempSync(join(folder, "bench-"));
  chmodSync(TMPDIR, 0o755);
  const files = () =>
    readdirSync(TMPDIR, { recursive: true })
      .map(String)
      .filter((file) => file.startsWith("moraine-bench-"));
  await using process = await run("tools/bench/main.ts", { TMPDIR });
  // Filling takes more than the first file of the server's log.
  const isFilling = () =>
    readdirSync(TMPDIR)
      .map((name) => join(TMPDIR, name, "postgres/pg_wal"))
      .some((log) => existsSync(log) && readdirSync(log).filter((file) => /^[\dA-F]{24}$/.test(file)).length > 1);
  await until(isFilling, () => process.output());
  process.child.kill("SIGINT");
  expect(await once(process.child, "exit")).toEqual([130, null]);
  expect(files()).toEqual([]);
});
