import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { until } from "../../test/support/indexed/indexing.ts";
import { startMetrics } from "../../test/support/metrics.ts";
import { ConfigError } from "../config/config.ts";
import { migrate } from "../database/migrate.ts";
import { serverAccount } from "./account.ts";
import { clusterPathsFor } from "./cluster-paths.ts";
import { type EmbeddedPostgres, hasCluster, startEmbeddedPostgres } from "./embedded-postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-embedded-"));
// PostgreSQL's account must be able to reach it if root runs the tests.
chmodSync(folder, 0o755);
const original = join(folder, "original");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without autovacuum, an idle server writes nothing, so that its files can be copied. */
const start = (directory: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres(directory, undefined, { autovacuum: "off" });

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
    return rows.flat();
  } finally {
    await client.end();
  }
}

const dataDirectoryOf = async ({ url }: EmbeddedPostgres): Promise<string> =>
  realpathSync(String((await query(url, "SHOW data_directory"))[0]));

function copyOf(directory: string, name: string): string {
  const copy = join(folder, name);
  execFileSync("cp", ["-a", directory, copy]);
  return copy;
}

const lockFileOf = (directory: string): string => join(directory, "postgres", "postmaster.pid");

describe("the server of a data directory", () => {
  const printError = console.error;
  const printed: unknown[] = [];
  beforeAll(() => {
    console.error = (line: unknown) => void printed.push(line);
  });
  afterAll(() => {
    console.error = printError;
  });

  it("is not the one of the directory that it was copied from, whether that one still runs or has ended", async () => {
    await using first = await start(original);
    await query(first.url, "CREATE TABLE accounts (name TEXT)");
    await query(first.url, "CHECKPOINT");
    const name = copyOf(original, "copied");
    expect(readFileSync(lockFileOf(name), "utf8")).toBe(readFileSync(lockFileOf(original), "utf8"));
    const later = copyOf(original, "copied-later");
    {
      await using copied = await start(name);
      expect(await dataDirectoryOf(copied)).toBe(realpathSync(join(name, "postgres")));
      await query(copied.url, "ALTER TABLE accounts ADD COLUMN upgraded BOOLEAN");
      expect(
        await query(first.url, "SELECT attname FROM pg_attribute WHERE attrelid = 'accounts'::regclass AND attnum > 0"),
      ).toEqual(["name"]);
      expect(printed).toEqual([expect.stringContaining(`copied/postgres is a copy of ${original}`)]);
      await first[Symbol.asyncDispose]();
      expect(existsSync(lockFileOf(original))).toBe(false);
      expect(await query(copied.url, "SELECT upgraded FROM accounts")).toEqual([]);
      await using copiedLater = await start(later);
      expect(await dataDirectoryOf(copiedLater)).toBe(realpathSync(join(later, "postgres")));
    }
    expect(printed).toHaveLength(1);
  });

  it("logs no failing statement at its first start and at later ones", async () => {
    const directory = join(folder, "without-errors");
    for (let starts = 0; starts < 2; starts++) {
      await using server = await start(directory);
      await migrate(server.url, () => {});
    }
    const log = readFileSync(join(directory, "postgres.log"), "utf8");
    expect(log.match(/ready to accept connections/g)).toHaveLength(2);
    expect(log).not.toMatch(/ERROR|FATAL/);
  });

  it("is started again if it dies, which is counted", async () => {
    const registry = await startMetrics();
    await using server = await start(original);
    const [pid] = readFileSync(lockFileOf(original), "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
    const counted = async () =>
      (await registry.getSingleMetric("moraine_process_restarts_total")?.get())?.values.map(({ labels, value }) => [
        labels["name"],
        value,
      ]);
    await until(counted, (values) => values?.length === 1, "the restart");
    expect(await counted()).toEqual([["the embedded PostgreSQL", 1]]);
    expect(await dataDirectoryOf(server)).toBe(realpathSync(join(original, "postgres")));
  });

  it("begins a new log if the one of earlier starts is long, and keeps that one", async () => {
    const directory = join(folder, "long-log");
    await (await start(directory))[Symbol.asyncDispose]();
    const log = join(directory, "postgres.log");
    const long = "x".repeat(10_000_001);
    writeFileSync(log, long);
    await using _server = await start(directory);
    expect(readFileSync(`${log}.1`, "utf8")).toBe(long);
    expect(readFileSync(log, "utf8")).toMatch(/starting PostgreSQL/);
  });

  it("ignores the variables of libpq, which name another server", async () => {
    const variables = {
      PGHOST: "192.0.2.1",
      PGPORT: "1",
      PGUSER: "other",
      PGSSLMODE: "require",
      PGOPTIONS: "-c jit=on -c no=1",
    };
    Object.assign(process.env, variables);
    try {
      await using server = await start(join(folder, "with-variables"));
      expect(await query(server.url, "SELECT current_user, current_setting('jit')")).toEqual(["moraine", "off"]);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  it("is joined through every path that leads to it", async () => {
    const link = join(folder, "link");
    symlinkSync(original, link);
    await using first = await start(original);
    await using second = await start(link);
    expect(second.url).toBe(first.url);
    // The process that ends first leaves it to the other one.
    await using _session = await keepSession(second.url);
    await first[Symbol.asyncDispose]();
    expect(await dataDirectoryOf(second)).toBe(realpathSync(join(original, "postgres")));
  });

  it("ends with the last process, also while it runs a statement of a client that is gone", async () => {
    await using server = await start(original);
    const gone = new pg.Client({ connectionString: server.url });
    gone.on("error", () => {});
    await gone.connect();
    gone.query("SELECT pg_sleep(600)").catch(() => {});
    const SLEEPS = "SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'";
    while ((await query(server.url, SLEEPS)).length === 0);
    const closed = new Promise<void>((done) => gone.once("end", () => done()));
    gone.connection.stream.destroy();
    await closed;
    await server[Symbol.asyncDispose]();
    expect(existsSync(lockFileOf(original))).toBe(false);
  });

  it("is started anew if the lock file names a process that is not its server", async () => {
    const directory = copyOf(original, "outdated");
    const cluster = join(directory, "postgres");
    await using other = await start(copyOf(original, "other"));
    const { port } = new URL(other.url);
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    for (const [named, cwd, listed] of [
      ["sleep", cluster, cluster],
      ["postgres", elsewhere, cluster],
      ["postgres", elsewhere, elsewhere],
      ["postgres", elsewhere, join(folder, "removed")],
      // The server at its port says that its data are in another directory.
      ["postgres", cluster, cluster],
    ] as const) {
      await using process = await processNamed(named, cwd);
      writeFileSync(lockFileOf(directory), `${process.pid}\n${listed}\n0\n${port}\n\n127.0.0.1\n0 0\nready\n`);
      await using own = await start(directory);
      expect(await dataDirectoryOf(own)).toBe(realpathSync(cluster));
      await own[Symbol.asyncDispose]();
      // Neither the process nor the server at the port was ended.
      expect([process.hasEnded(), await query(other.url, "SELECT 1")]).toEqual([false, [1]]);
    }
    writeFileSync(lockFileOf(directory), `4194305\n${cluster}\n0\n${port}\n\n127.0.0.1\n0 0\nready\n`);
    await using own = await start(directory);
    expect(await dataDirectoryOf(own)).toBe(realpathSync(cluster));
  });
});

describe("files that the bundled PostgreSQL cannot use are refused in one sentence", () => {
  const control = join("global", "pg_control");
  const overwrite = (cluster: string, at: number, bytes: readonly number[]) => {
    const path = join(cluster, control);
    const content = readFileSync(path);
    Buffer.from(bytes).copy(content, at);
    writeFileSync(path, content);
  };
  const VERSION =
    "use the version of Moraine and the kind of machine that wrote these files, or choose another directory";
  const DAMAGED = "its files are damaged: put back a copy that was made while Moraine was stopped, or choose another";

  it.each<[what: string, change: (cluster: string) => void, reason: string, remedy: string]>([
    [
      "another major version",
      (cluster) => writeFileSync(join(cluster, "PG_VERSION"), "17\n"),
      "incompatible with server: The data directory was initialized by PostgreSQL version 17, which is not compatible",
      VERSION,
    ],
    [
      "another format",
      (cluster) => overwrite(cluster, 8, [1]),
      "incompatible with server: .*PG_CONTROL_VERSION",
      VERSION,
    ],
    ["another byte order", (cluster) => overwrite(cluster, 8, [0, 0, 7, 8]), "incompatible with server: ", VERSION],
    [
      "damaged content",
      (cluster) => overwrite(cluster, 100, [1, 2, 3, 4]),
      "incorrect checksum in control file",
      DAMAGED,
    ],
    ["a missing file", (cluster) => rmSync(join(cluster, control)), "could not find the database system", DAMAGED],
    [
      "other rights",
      (cluster) => chmodSync(cluster, 0o755),
      "invalid permissions",
      "give the directory postgres in it",
    ],
  ])("because of %s", async (what, change, reason, remedy) => {
    const directory = copyOf(original, `refused-${what.replaceAll(" ", "-")}`);
    change(join(directory, "postgres"));
    const error: unknown = await start(directory).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(
      new RegExp(
        `^setting dataDirectory \\(environment variable MORAINE_DATA\\) is "${directory}": PostgreSQL cannot use it \\(.*${reason}.*\\); ${remedy}.*$`,
      ),
    );
  });
});

async function keepSession(url: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { [Symbol.asyncDispose]: () => client.end() };
}

interface OtherProcess extends AsyncDisposable {
  readonly pid: number;
  hasEnded(): boolean;
}

async function processNamed(argv0: string, cwd: string): Promise<OtherProcess> {
  const child = spawn("sleep", ["600"], { argv0, cwd });
  await once(child, "spawn");
  return {
    pid: Number(child.pid),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const account = serverAccount();
const describeAsRoot = account ? describe : describe.skip;

describeAsRoot(
  `a data directory that PostgreSQL's account cannot enter${account ? "" : " (skipped: not root)"}`,
  () => {
    const shared = join(folder, "shared");
    const pathsIn = (directory: string) => clusterPathsFor(directory, account, shared);
    const closed = (name: string): string => {
      const directory = join(folder, name);
      mkdirSync(directory, { mode: 0o700 });
      return directory;
    };

    it("keeps its data in a directory that belongs to it by its real path", () => {
      const directory = closed("closed");
      const { cluster } = pathsIn(directory);
      expect(readlinkSync(join(directory, "postgres"))).toBe(cluster);
      symlinkSync(directory, join(folder, "closed-link"));
      expect([pathsIn(directory), pathsIn(join(folder, "closed-link"))].map((one) => one.cluster)).toEqual([
        cluster,
        cluster,
      ]);
    });

    it.each(["700", "755"])(
      "is refused as a copy with mode %s, because its link names the data of the original",
      (mode) => {
        const copy = copyOf(join(folder, "closed"), `closed-copy-${mode}`);
        chmodSync(copy, Number.parseInt(mode, 8));
        expect(() => pathsIn(copy)).toThrow(
          /was copied or moved: its data are in .*\. After a move, run: mv .*use cp -aL/,
        );
      },
    );

    it("is refused if its files belong to another account, with the account that needs them", async () => {
      const directory = copyOf(original, "of-another-account");
      execFileSync("chown", ["-R", "12345:12345", directory]);
      await expect(start(directory)).rejects.toThrow(
        new RegExp(
          `PostgreSQL cannot use it \\(.*Permission denied\\); give the directory postgres in it, with all files, to the account ${account?.name}, as which PostgreSQL runs because it refuses to run as root, with mode 0700$`,
        ),
      );
    });

    it("is not called empty by a process of another account", () => {
      process.seteuid?.(12345);
      try {
        expect(() => hasCluster(original)).toThrow(
          /is ".*original", which belongs to another account: run Moraine and its commands as that account$/,
        );
      } finally {
        process.seteuid?.(0);
      }
    });

    it("is refused if its data are in it, with what to do", () => {
      const directory = closed("closed-with-data");
      mkdirSync(join(directory, "postgres"));
      expect(() => pathsIn(directory)).toThrow(
        /the account .*, as which PostgreSQL runs, cannot enter it: let it enter/,
      );
    });
  },
);
