import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { PART_NAMES } from "../../commands/parts.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { indexedChains } from "../support/indexed/indexed.ts";
import { freePorts } from "../support/node/listen.ts";
import { run } from "./processes.ts";
import { until } from "./until.ts";

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

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
}

const composeFile = (name: string) => parse(readFileSync(name, "utf8"), { merge: true }) as ComposeFile;
const whole = composeFile("docker-compose.yml");
const compose = composeFile("docker-compose.parts.yml");
const dockerfile = readFileSync("Dockerfile", "utf8");
const services = Object.entries(compose.services);
const parts = services.filter(([, { image }]) => image === "moraine");
const everyService = [...services, ...Object.entries(whole.services)];

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

  it("copies only files that are listed", () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
      files.split(" "),
    );
    expect(copied.length).toBeGreaterThan(3);
    expect(copied.filter((file) => file !== "." && isIgnored(file))).toEqual([]);
  });

  it("has one version of Node.js, by its digest, and no npm", () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
    expect(bases).toEqual([
      expect.stringMatching(/^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/),
      "node",
      "node",
      "scratch",
    ]);
    expect(dockerfile).toMatch(/rm -rf [^\n]*\/usr\/local\/lib\/node_modules .*\/usr\/local\/bin\/np\*/);
  });

  it("has the directory that the compose files mount, which then belongs to its user", () => {
    const [, made] = /mkdir -p (\S+) && chown node:node \1$/m.exec(dockerfile) ?? [];
    const own = everyService.filter(([, { image }]) => image === "moraine");
    const mounted = own.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(":")));
    const named = new Set(mounted.filter(([source]) => !source?.startsWith(".")).map(([, target]) => target));
    expect([...named]).toEqual([made]);
    // The number of `node` in the images of Node.js.
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  });
});

describe("the compose files", () => {
  it("publish ports on this machine only", () => {
    const ports = everyService.flatMap(([, { ports: own = [] }]) => own);
    expect(ports).toHaveLength(4);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
  });

  it.each(everyService)("give %s time to stop, and limit its memory and its log", (_name, service) => {
    // What a process may take: core/processes/process.ts.
    expect(service).toMatchObject({
      stop_grace_period: "30s",
      mem_limit: expect.stringMatching(/^\d+g$/),
      logging: { options: { "max-size": "20m", "max-file": "5" } },
    });
  });

  it.each(services)("check the health of %s", (_name, { healthcheck }) => {
    expect(healthcheck?.test.length).toBeGreaterThan(1);
  });

  it("run each part of `moraine start --only` in one image, without npm", () => {
    const commands = PART_NAMES.filter((name) => name !== "api").map((name) => `node moraine start --only ${name}`);
    expect(parts.map(([, { command }]) => command).sort()).toEqual(commands.sort());
    const own = everyService.filter(([, { image }]) => image === "moraine");
    expect(new Set(own.map(([, { build }]) => build))).toEqual(new Set(["."]));
    expect(dockerfile).toMatch(/^CMD \["node", "moraine", "start"\]$/m);
    expect(isIgnored("moraine")).toBe(false);
  });

  it("contain no password", () => {
    const databases = parts.map(([, { environment }]) => environment?.["DATABASE_URL"]);
    expect(new Set(databases)).toEqual(
      new Set([
        expect.stringMatching(/^postgresql:\/\/moraine:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:5432\/moraine$/),
      ]),
    );
  });
});

interface Health {
  readonly code: number | null;
  readonly text: string;
}

/** What the health check of a service says, if the service listens at another address than in its container. */
async function healthOf(name: string, address: string): Promise<Health> {
  const [kind, command, ...args] = compose.services[name]?.healthcheck?.test ?? [];
  if (kind !== "CMD" || command !== "node") throw new Error(`the health check of ${name} is no command of Node.js`);
  const own = args.map((arg) => arg.replace(/^http:\/\/127\.0\.0\.1:\d+/, address));
  const child = spawn(process.execPath, own, { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text };
}

/** An account without rights of its own, if the tests run as root. In the image, it is `node`. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The folder of the image: what the build of the Dockerfile makes of the listed files. Nobody but its owner may write to it. */
function installation(): string {
  const directory = scratch();
  chmodSync(directory, 0o755);
  // The path of the installation is that of the folder that is built.
  const folder = join(directory, "moraine");
  const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"]).toString().trim().split("\n");
  for (const file of tracked.filter((one) => existsSync(one) && !isIgnored(one))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(file, join(folder, file));
  }
  cpSync("prisma/client", join(folder, "prisma/client"), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const [, command = ""] = /^RUN node (.+) \/release$/m.exec(dockerfile) ?? [];
  const released = join(directory, "released");
  execFileSync(process.execPath, [...command.split(" "), released], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(folder, { recursive: true });
  renameSync(released, folder);
  return folder;
}

/** The size of the files in a directory, in MB. */
function megabytes(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}

describe("the installation in the image", () => {
  let folder: string;
  beforeAll(() => {
    folder = installation();
  }, 120_000);

  const started: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of started.splice(0)) {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
  });

  /** Starts the command of a service as it is written, with these variables in addition to those of the service. */
  function start(
    command: string,
    env: Readonly<Record<string, string>>,
  ): { readonly child: ChildProcess; text(): string } {
    const [, ...args] = command.split(" ");
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...env },
      ...ACCOUNT,
    });
    started.push(child);
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    return { child, text: () => text };
  }

  function dataDirectory(): string {
    const directory = scratch();
    if (ACCOUNT.uid !== undefined) chownSync(directory, ACCOUNT.uid, ACCOUNT.gid);
    return directory;
  }

  it("is small: the folder and Node.js 24 on Debian's slim image take less than 450 MB", () => {
    const NODE_24 = 123;
    const DEBIAN = 78;
    expect(megabytes(folder) + NODE_24 + DEBIAN).toBeLessThan(450);
    expect(readdirSync(join(folder, "node_modules"))).not.toContain("npm");
    expect(existsSync(join(folder, "core/config/config.ts"))).toBe(false);
  });

  it("runs everything as a user who may only write to the volume", async () => {
    const { child, text } = start("node moraine start", {
      MORAINE_DATA: dataDirectory(),
      MORAINE_DEMO: "full",
      PORT: "0",
    });
    const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0], text);
    const { chains } = (await (await fetch(`${url}/v1/chains`)).json()) as { readonly chains: readonly unknown[] };
    expect(chains.length).toBeGreaterThan(1);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  }, 120_000);

  it("runs all parts at once on an empty database, as docker-compose.parts.yml starts them", async () => {
    await using database = await createEmptyDatabase("");
    await using node = await startReplayNode({ heads: "full" });
    const { manifest } = node.recording;
    const MORAINE_CONFIG = join(dataDirectory(), "moraine.json");
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains: demoConfig(manifest, node.url) }));
    const names = parts.map(([name]) => name);
    const ports = await freePorts(2 * names.length);
    const port = new Map(names.map((name, index) => [name, ports[index]]));
    const metricsPort = new Map(names.map((name, index) => [name, ports[names.length + index]]));
    const processes = parts.map(([name, { command = "", environment = {} }]) => {
      const local = Object.entries(environment).map(([key, value]) => [
        key,
        value.replace(/^http:\/\/([\w-]+):4000/, (_, service: string) => `http://127.0.0.1:${port.get(service)}`),
      ]);
      const started = start(command, {
        ...(Object.fromEntries(local) as Record<string, string>),
        DATABASE_URL: database.url,
        MORAINE_CONFIG,
        MORAINE_DATA: dataDirectory(),
        HOST: "127.0.0.1",
        OBSERVABILITY_HOST: "127.0.0.1",
        PORT: `${port.get(name)}`,
        OBSERVABILITY_PORT: `${metricsPort.get(name)}`,
      });
      return { name, ...started };
    });
    for (const { name, text } of processes) {
      const ofMetrics = compose.services[name]?.healthcheck?.test.some((word) => word.includes(":9464/"));
      const address = `http://127.0.0.1:${(ofMetrics ? metricsPort : port).get(name)}`;
      await until(async () => (await healthOf(name, address)).code === 0, text);
    }
    const answer = await fetch(`http://127.0.0.1:${port.get("rest")}/v1/chains`);
    expect(((await answer.json()) as { readonly chains: readonly unknown[] }).chains).toHaveLength(2);
    const ends = processes.map(({ child }) => once(child, "exit"));
    for (const { child } of processes) child.kill("SIGTERM");
    expect(new Set((await Promise.all(ends)).map(([code]) => code as number))).toEqual(new Set([0]));
  }, 180_000);
});

describe("the health checks of docker-compose.parts.yml", () => {
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
    const failed = await healthOf("signatures", serviceUrl);
    expect(failed).toEqual({ code: 1, text: expect.stringMatching(/HTTP 503 .*cannot write to/) });
    rmSync(join(MORAINE_DATA, "signatures"));
    expect(await healthOf("signatures", serviceUrl)).toEqual({ code: 0, text: "" });

    await using evm = await run("start --only evm", env);
    const [evmUrl = ""] = await evm.until(/http:\/\/[\d.:]+(?=\/graphql)/);
    expect(await healthOf("evm", evmUrl)).toEqual({ code: 0, text: "" });
    await using exporter = await run("start --only exporter", { ...env, LOG_LEVEL: "info" });
    const [metricsUrl = ""] = await exporter.until(/http:[^"\s]+(?=\/metrics)/);
    expect(await healthOf("exporter", metricsUrl)).toEqual({ code: 0, text: "" });
    expect(await healthOf("rest", evmUrl)).toMatchObject({ code: 1, text: expect.stringContaining("HTTP 404") });
    evm.child.kill("SIGKILL");
    await once(evm.child, "exit");
    expect(await healthOf("evm", evmUrl)).toMatchObject({ code: 1, text: expect.stringContaining("ECONNREFUSED") });
  }, 120_000);
});
