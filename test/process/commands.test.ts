import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { startFaultyNode } from "../support/node/faulty-node.ts";
import { run } from "./processes.ts";
import { until } from "./until.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-commands-"));
// The server's account must be able to enter the directory if root runs the tests.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Exit code and output of a process. */
async function ended(entry: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await using process = await run(entry, env, args);
  const [code] = (await once(process.child, "exit")) as [number | null];
  return { code, output: process.output() };
}

const TRACES: [string, ...string[]] = ["backfill", "--chain", "7", "--capability", "traces"];
const METADATA: [string, ...string[]] = ["backfill", "--chain", "7", "--capability", "metadata"];

describe("a command", () => {
  it.each(
    sampled<[entry: string, args: readonly string[], expected: readonly string[]]>(
      [
        ["gaps", [], ["npm run replay", "npm run gaps", "--capability traces", "--capability metadata"]],
        ["generate", [], ["npm run generate", "docs/configuration.md"]],
        ["tools/bench/main.ts", [], ["npm run bench"]],
        ["keys", [], ["npm run keys -- create", "npm run keys -- revoke <name>"]],
      ],
      2,
    ),
  )("%s %j prints its usage with --help, and does nothing", async (entry, args, expected) => {
    const { code, output } = await ended(entry, [...args, "--help"]);
    expect(code).toBe(0);
    for (const text of expected) expect(output).toContain(text);
  });

  it.each(
    sampled<[what: string, command: readonly [string, ...string[]], expected: RegExp]>(
      [
        ["an unknown command", ["repair"], /^there is no command "repair"; the commands are:\nnpm run start /],
        ["an unknown option", ["replay", "--fast"], /^Unknown option '--fast'[\s\S]*npm run replay -- --chain/],
        ["another command's option", ["replay", "--chain", "7", "--repair"], /^Unknown option '--repair'/],
        ["another capability's option", [...TRACES, "--all"], /^Unknown option '--all'/],
        ["another capability's value", [...METADATA, "--from", "5"], /^Unknown option '--from'/],
        [
          "a capability that there is not",
          ["backfill", "--capability", "7"],
          /^--capability must be traces or metadata/,
        ],
        ["no capability", ["backfill", "--chain", "7"], /^--capability must be traces or metadata/],
        [
          "a range that ends before it begins",
          [...TRACES, "--from", "50", "--to", "10"],
          /^--from must be at most --to, got 50 and 10$/m,
        ],
        ["no block number", [...TRACES, "--from", "-x"], /'--from/],
        ["a token of no contract", [...METADATA, "--token", "5"], /^--token needs --contract/],
        ["something else to generate", ["generate", "something"], /^npm run generate/],
      ],
      3,
    ),
  )("is refused with one line for %s, before it starts", async (_what, [name, ...args], expected) => {
    expect(await ended(name, args)).toEqual({ code: 1, output: expect.stringMatching(expected) });
  });

  it("gaps reports that nothing is missing, backfill what it queued, each with its exit code", async () => {
    await using database = await indexedAlpha();
    const MORAINE_CONFIG = join(folder, "moraine.json");
    const chains = database.config.evmChains.map(({ chainId, nodeUrl }) => ({ chainId, nodeUrl }));
    const evmChains = chains.map((chain) => ({ ...chain, network: "fuji", chainName: "C", enabledFeatures: [] }));
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains }));
    const env = { MORAINE_CONFIG, DATABASE_URL: database.url };
    const metadata = ["--chain", "760011", "--capability", "metadata"];
    expect(await ended("backfill", metadata, env)).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^chain 760011: [1-9]\d* contracts and 0 NFTs queued; the indexer reads their metadata again; NFTs were left out, because nftIndexing is not among the enabledFeatures\n$/,
      ),
    });
    const oneNft = [...metadata, "--contract", `0x${"1".repeat(40)}`, "--token", "1"];
    expect(await ended("backfill", oneNft, env)).toEqual({
      code: 1,
      output:
        "nftIndexing is not among the enabledFeatures of chain 760011: add it to the settings to index the metadata of NFTs\n",
    });
    // The rows follow other rules than those of this configuration.
    const replay = ["--chain", "760011"];
    expect((await ended("gaps", ["--chain", "760011"], env)).code).toBe(1);
    expect((await ended("replay", replay, env)).code).toBe(0);
    expect(await ended("gaps", ["--chain", "760011"], env)).toEqual({
      code: 0,
      output: expect.stringMatching(/^chain 760011: checked all blocks up to \d+\nnothing is missing\n$/),
    });
    await database.pool.query("DELETE FROM erc20_transfers WHERE chain_id = 760011 AND block_number BETWEEN 30 AND 40");
    const { code, output } = await ended("gaps", ["--chain", "760011"], env);
    expect(code).toBe(1);
    expect(output).toMatch(/^block.*: erc20_transfers has 0 rows of \d+$/m);
    expect(output).toMatch(/^`npm run gaps -- --chain 760011 --repair` repairs this$/m);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends with one line on %s, whatever it waits for", async (signal) => {
    await using database = await indexedAlpha();
    const [{ nodeUrl = "" } = {}] = database.config.evmChains;
    await using node = await startFaultyNode({ upstream: new URL(nodeUrl).origin });
    node.faults.delayMs = 30_000;
    const MORAINE_CONFIG = join(folder, `slow-${signal}.json`);
    const evmChains = demoConfig(openRecording(ALPHA).manifest, node.url);
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains, indexing: { requestTimeoutMs: 60_000 } }));
    const env = { MORAINE_CONFIG, DATABASE_URL: database.url };
    await database.pool.query("DELETE FROM raw_traces WHERE chain_id = 760011");
    await using process = await run("gaps", env, ["--chain", "760011", "--repair"]);
    while (node.traffic.requests === 0) await sleep(20);
    process.child.kill(signal);
    expect(await once(process.child, "exit")).toEqual([1, null]);
    expect(process.output()).toBe("interrupted: run the command again to continue\n");
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
