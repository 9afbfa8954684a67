import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { PART_NAMES } from "../../commands/parts.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { indexedChains } from "../support/indexed/indexed.ts";
import { run } from "./processes.ts";

interface Service {
  readonly build?: string;
  readonly image?: string;
  readonly command?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly environment?: Readonly<Record<string, string>>;
}

const compose = parse(readFileSync("docker-compose.yml", "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const dockerfile = readFileSync("Dockerfile", "utf8");
const services = Object.entries(compose.services);
const parts = services.filter(([, { command }]) => command !== undefined);

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "moraine-image-"));
  directories.push(directory);
  return directory;
}

/** True if the patterns of .dockerignore leave a file out. Like Docker, the last pattern that matches decides. */
function isIgnored(file: string): boolean {
  const lines = readFileSync(".dockerignore", "utf8").split("\n");
  const patterns = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return patterns.reduce(
    (ignored, line) => (matches(file, line.replace(/^!/, "")) ? !line.startsWith("!") : ignored),
    false,
  );
}

/** A pattern also matches what is in a directory that it matches. `*` stands for a name, or a part of one, `**` for any directories. */
function matches(file: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/|\*/g, (text) => (text === "*" ? "[^/]*" : "(?:.*/)?"));
  return new RegExp(`^${source}(?:/|$)`).test(file);
}

describe("the image", () => {
  it("contains nothing but what is listed: no settings, keys, data or files of tests", () => {
    for (const file of [
      "moraine.json",
      "moraine.production.json",
      ".env",
      ".npmrc.local",
      "secrets/key.pem",
      "backup.sql",
      ".moraine/postgres/moraine-password",
      ".git/config",
      ".build/main.mjs",
      "node_modules/pg/package.json",
      "prisma/client/client.ts",
      "core/config/config.test.ts",
      "test/examples.test.ts",
      "docs/exports.md",
    ])
      expect([file, isIgnored(file)]).toEqual([file, true]);
  });

  it("contains all that its build needs", () => {
    const directory = scratch();
    const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"]).toString().trim().split("\n");
    for (const file of tracked.filter((one) => !isIgnored(one))) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      cpSync(file, join(directory, file));
    }
    cpSync("prisma/client", join(directory, "prisma/client"), { recursive: true });
    symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
    const copied = [...dockerfile.matchAll(/^COPY (?!--chown)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
      files.split(" "),
    );
    expect(copied.filter((file) => isIgnored(file))).toEqual([]);
    const { status, stderr } = spawnSync(process.execPath, ["tools/build/build.mjs"], {
      cwd: directory,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("has a version of Node.js that is supported", () => {
    const [, major] = /^FROM node:(\d+)-slim$/m.exec(dockerfile) ?? [];
    expect(Number(major)).toBe(24);
  });

  it("has the directories that docker-compose.yml mounts, which then belong to its user", () => {
    const [, made = ""] = /mkdir -p ([^&]+) && chown -R node:node \/moraine$/m.exec(dockerfile) ?? [];
    const mounted = parts.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(":")));
    const named = mounted.filter(([source]) => !source?.startsWith(".")).map(([, target]) => target);
    expect(named.sort()).toEqual(
      made
        .trim()
        .split(" ")
        .map((path) => `/moraine/${path}`)
        .sort(),
    );
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});

describe("docker-compose.yml", () => {
  it("publishes ports on this machine only", () => {
    const ports = services.flatMap(([, { ports: own = [] }]) => own);
    expect(ports).toHaveLength(3);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
  });

  it.each(services)("gives %s time to stop, and checks its health", (_name, service) => {
    // What a process may take: core/processes/process.ts.
    expect(service.stop_grace_period).toBe("30s");
    expect(service.healthcheck?.test.length).toBeGreaterThan(1);
  });

  it("runs each part of `moraine start --only` in one image, without npm", () => {
    const commands = PART_NAMES.filter((name) => name !== "api").map((name) => `node moraine start --only ${name}`);
    expect(parts.map(([, { command }]) => command).sort()).toEqual(commands.sort());
    expect(new Set(parts.map(([, { build, image }]) => `${build} ${image}`))).toEqual(new Set([". moraine"]));
    expect(dockerfile).toMatch(/^CMD \["node", "moraine", "start"\]$/m);
    expect(isIgnored("moraine")).toBe(false);
  });
});

/** The code with which the health check of a service ends, if the service listens at another address than in its container. */
function healthOf(name: string, address: string): { readonly code: number | null; readonly text: string } {
  const [kind, command = "", ...args] = compose.services[name]?.healthcheck?.test ?? [];
  if (kind !== "CMD") throw new Error(`the health check of ${name} is no command`);
  const program = command === "node" ? process.execPath : command;
  const own = args.map((arg) => arg.replace(/^http:\/\/127\.0\.0\.1:\d+/, address));
  const { status, stderr } = spawnSync(program, own, { encoding: "utf8" });
  return { code: status, text: stderr };
}

describe("the health checks of docker-compose.yml", () => {
  it("succeed for processes that work, and fail for the signature service while it cannot write", async () => {
    await using database = await indexedChains(ALPHA);
    await using node = await startReplayNode({ heads: "full" });
    const { manifest } = node.recording;
    const MORAINE_DATA = scratch();
    const MORAINE_CONFIG = join(MORAINE_DATA, "moraine.json");
    const settings = {
      evmChains: demoConfig(manifest, node.url),
      primaryNetworks: [demoNetwork(manifest, ALPHA, node.url)],
    };
    writeFileSync(MORAINE_CONFIG, JSON.stringify(settings));
    // Root may write to every directory, but not below a file.
    writeFileSync(join(MORAINE_DATA, "signatures"), "");
    const env = { MORAINE_DATA, MORAINE_CONFIG, DATABASE_URL: database.url, PORT: "0", OBSERVABILITY_PORT: "0" };
    const address = /service answers on (http:\/\/[\d.:]+)/;
    await using signatures = await run("start --only signatures", env);
    const [, serviceUrl = ""] = await signatures.until(address);
    await signatures.until(/cannot write to .*signatures.*Give the user of this process the right/);
    const failed = healthOf("signatures", serviceUrl);
    expect(failed).toEqual({ code: 1, text: expect.stringMatching(/HTTP 503 .*cannot write to/) });
    rmSync(join(MORAINE_DATA, "signatures"));
    expect(healthOf("signatures", serviceUrl)).toEqual({ code: 0, text: "" });

    await using evm = await run("start --only evm", env);
    const [evmUrl = ""] = await evm.until(/http:\/\/[\d.:]+(?=\/graphql)/);
    expect(healthOf("evm", evmUrl)).toEqual({ code: 0, text: "" });
    await using exporter = await run("start --only exporter", { ...env, LOG_LEVEL: "info" });
    const [metricsUrl = ""] = await exporter.until(/http:[^"\s]+(?=\/metrics)/);
    expect(healthOf("exporter", metricsUrl)).toEqual({ code: 0, text: "" });
    expect(healthOf("rest", evmUrl)).toMatchObject({ code: 1, text: expect.stringContaining("HTTP 404") });
    evm.child.kill("SIGKILL");
    await once(evm.child, "exit");
    expect(healthOf("evm", evmUrl)).toMatchObject({ code: 1, text: expect.stringContaining("ECONNREFUSED") });
  }, 120_000);
});
