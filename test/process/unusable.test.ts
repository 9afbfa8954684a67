import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SUBGRAPHS, subgraphVariable } from "../../core/config/subgraphs.ts";
import { defaultRules, formatRules } from "../../indexer/primary/network/rules.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { itWithSmallDisk, mountSmallDisk } from "../support/database/small-disk.ts";
import { selfSigned } from "../support/node/certificate.ts";
import { listen } from "../support/node/listen.ts";
import { run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-unusable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines that a process prints before it ends with code 1. */
async function refusal(env: Readonly<Record<string, string>>): Promise<string[]> {
  await using process = await run("start", {
    PORT: "0",
    MORAINE_DATA: join(folder, "data"),
    LOG_LEVEL: "warn",
    ...env,
  });
  expect(await once(process.child, "exit")).toEqual([1, null]);
  return process.output().trim().split("\n");
}

const SETTING = "setting databaseUrl \\(environment variable DATABASE_URL\\)";

describe("a start that cannot use its database ends with one line: the reason, the setting and the remedy", () => {
  it("for an unreachable server", async () => {
    expect(await refusal({ DATABASE_URL: "postgresql://moraine:secret@127.0.0.1:1/moraine" })).toEqual([
      expect.stringMatching(
        `^the database cannot be reached \\(connect ECONNREFUSED 127.0.0.1:1\\): ${SETTING}: start the server, or correct`,
      ),
    ]);
  });

  it("for a refused password, and a database that does not exist", async () => {
    await using database = await createTestDatabase();
    const wrongPassword = new URL(database.url);
    wrongPassword.password = "wrong";
    expect(await refusal({ DATABASE_URL: wrongPassword.href })).toEqual([
      expect.stringMatching(`\\(password authentication failed .*\\): ${SETTING}: correct the user and password`),
    ]);
    const noDatabase = new URL(database.url);
    noDatabase.pathname = "/nowhere";
    expect(await refusal({ DATABASE_URL: noDatabase.href })).toEqual([
      expect.stringMatching(`\\(database "nowhere" does not exist\\): ${SETTING}: create the database`),
    ]);
  });

  it.each(["empty", "migrated"])("for a database that is read-only and %s", async (content) => {
    await using database = await createTestDatabase();
    if (content === "empty") await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const name = new URL(database.url).pathname.slice(1);
    await database.pool.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    expect(await refusal({ DATABASE_URL: database.url })).toEqual([
      expect.stringMatching(`read-only transaction.*: ${SETTING}: name the primary server`),
    ]);
  });

  it.each([
    ["accepts no TLS", "?sslmode=no-verify", "does not support SSL connections", "remove sslmode from the URL"],
    [
      "has no such socket",
      "?host=/nowhere",
      "connect ENOENT /nowhere/.s.PGSQL.\\d+",
      "correct the directory of the Unix",
    ],
  ])("for a server that %s", async (_what, query, reason, remedy) => {
    await using database = await createTestDatabase();
    expect(await refusal({ DATABASE_URL: `${database.url}${query}` })).toEqual([
      expect.stringMatching(`\\(.*${reason}.*\\): ${SETTING}: ${remedy}`),
    ]);
  });

  it("for a host that is no PostgreSQL server, and a password that is missing", async () => {
    await using other = await listen((_request, response) => void response.end());
    const [line = "", ...lines] = await refusal({ DATABASE_URL: `postgresql://user:x@127.0.0.1:${other.port}/a` });
    expect([line, lines]).toEqual([expect.stringMatching(`${SETTING}: `), []]);
    await using database = await createTestDatabase();
    const url = new URL(database.url);
    url.password = "";
    expect(await refusal({ DATABASE_URL: url.href })).toEqual([
      expect.stringMatching(`${SETTING}: add the password, as in postgresql://user:password@`),
    ]);
  });

  it.each([
    ["below a file", join(folder, "file", "data"), "ENOTDIR"],
    ["in a file system of the kernel", "/proc/data", "ENOENT"],
  ])("for a data directory %s, which cannot be created", async (_where, MORAINE_DATA, code) => {
    writeFileSync(join(folder, "file"), "");
    expect(await refusal({ MORAINE_DATA })).toEqual([
      expect.stringMatching(
        `^setting dataDirectory \\(environment variable MORAINE_DATA\\) is ".*": ${code}.*; choose a path`,
      ),
    ]);
  });

  for (const [kind, readOnly, reason] of [
    ["full", false, "free space on its disk"],
    ["read-only", true, "choose a directory on a disk that is not read-only"],
  ] as const)
    itWithSmallDisk(`for a data directory on a ${kind} disk`, async () => {
      const place = join(folder, kind);
      using _disk = mountSmallDisk(place, { readOnly });
      // PostgreSQL's account must be able to reach it if root runs the tests.
      chmodSync(folder, 0o755);
      expect(await refusal({ MORAINE_DATA: join(place, "some", "data") })).toEqual([
        expect.stringMatching(`^setting dataDirectory \\(environment variable MORAINE_DATA\\) is ".*${reason}`),
      ]);
    });
});

const SUBGRAPH_URLS = Object.fromEntries(
  SUBGRAPHS.map(({ setting }) => [subgraphVariable(setting), "http://127.0.0.1:1/graphql"]),
);

describe("a start whose port is in use", () => {
  it.each([
    ["start", { MORAINE_DEMO: "off" }],
    ["start --only gateway", SUBGRAPH_URLS],
  ])("prepares the graph, tries to open the port, and ends with one line: %s", async (entry, env) => {
    await using database = await createTestDatabase();
    await using other = await listen(() => {});
    const PORT = String(other.port);
    await using process = await run(entry, { ...env, DATABASE_URL: database.url, PORT, LOG_LEVEL: "debug" });
    // Unlike `exit`, this comes after all output.
    expect(await once(process.child, "close")).toEqual([1, null]);
    const lines = process.output().trim().split("\n");
    expect(lines.pop()).toBe(`setting port is ${PORT}: another process listens there`);
    expect(lines.join("\n")).toContain("the graph is prepared for its first operations");
  });
});

describe("a start whose host this machine does not have ends with one line", () => {
  const DATABASE_URL = "postgresql://moraine:secret@127.0.0.1:1/moraine";
  it.each([
    ["start", "observability.host", { OBSERVABILITY_HOST: "192.0.2.1", OBSERVABILITY_PORT: "0" }],
    ["start --only indexer", "observability.host", { OBSERVABILITY_HOST: "192.0.2.1", OBSERVABILITY_PORT: "0" }],
    ["start --only gateway", "host", { HOST: "192.0.2.1", DATABASE_URL: "", ...SUBGRAPH_URLS }],
  ])("%s, setting %s", async (entry, setting, env) => {
    await using process = await run(entry, { DATABASE_URL, PORT: "0", LOG_LEVEL: "warn", ...env });
    expect(await once(process.child, "close")).toEqual([1, null]);
    expect(process.output().trim().split("\n")).toEqual([
      expect.stringMatching(`^setting ${setting} is "192.0.2.1": this machine does not have that address: choose one`),
    ]);
  });
});

const HOUR_MS = 3_600_000;
const NOW_MS = Date.now();

describe("the start warns of a mistake in the TLS of a node, in one line with what to do", () => {
  it.each<[what: string, names: string[], hours: [number, number], isTrusted: boolean, warning: string]>([
    [
      "is not trusted",
      ["localhost"],
      [-1, 1],
      false,
      "no authority that this machine trusts has signed its certificate",
    ],
    ["has expired", ["localhost"], [-2, -1], true, "its certificate has expired: renew it"],
    ["is not valid yet", ["localhost"], [1, 2], true, "its certificate is not valid yet: check the clock"],
    [
      "is for another name",
      ["other.example"],
      [-1, 1],
      true,
      "its certificate is for another name: name the host in the URL",
    ],
  ])("if the certificate %s", async (what, names, [from, until], isTrusted, warning) => {
    const certificate = selfSigned(names, [NOW_MS + from * HOUR_MS, NOW_MS + until * HOUR_MS]);
    const server = createHttpsServer(certificate).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const place = join(folder, what.replaceAll(" ", "-"));
    const nodeUrl = `https://localhost:${port}/`;
    const evmChains = [{ chainId: 43_112, network: "testnet", nodeUrl, chainName: "C" }];
    writeFileSync(`${place}.json`, JSON.stringify({ evmChains }));
    writeFileSync(`${place}.pem`, certificate.cert);
    await using process = await run("start --only indexer", {
      MORAINE_CONFIG: `${place}.json`,
      DATABASE_URL: "postgresql://moraine:secret@127.0.0.1:1/moraine",
      ...(isTrusted && { NODE_EXTRA_CA_CERTS: `${place}.pem` }),
    });
    expect(await once(process.child, "close")).toEqual([1, null]);
    server.close();
    expect(process.output()).toMatch(
      new RegExp(`setting evmChains.0.nodeUrl: localhost:${port} did not answer eth_chainId \\([A-Z_]+: ${warning}`),
    );
    expect(process.output()).not.toMatch(/^\s+at /m);
  });
});

describe("`moraine verify`", () => {
  it.each([
    [
      "a server that cannot be reached",
      "postgresql://moraine:secret@127.0.0.1:1/moraine",
      "the database cannot be reached",
    ],
    ["a URL that is none", "moraine", SETTING],
  ])("ends with one line for %s", async (_, DATABASE_URL, reason) => {
    await using process = await run("verify", { MORAINE_DEMO: "full", DATABASE_URL });
    expect(await once(process.child, "exit")).toEqual([1, null]);
    expect(process.output().trim().split("\n")).toEqual([expect.stringMatching(`^${reason}`)]);
  });

  it("ends with one line for a node that answers everything with an error", async () => {
    await using database = await createTestDatabase();
    await database.pool.query(
      `INSERT INTO primary_networks (network_id, hrp, genesis_timestamp, genesis_hash, x_chain_id, c_chain_id, avax_asset_id, rules)
       VALUES (5, 'fuji', 0, '', '', '', '', $1)`,
      [formatRules(defaultRules(5))],
    );
    await using node = await listen((_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "not now" } }));
    });
    const settings = join(folder, "verify.json");
    const nodeUrl = `http://127.0.0.1:${node.port}`;
    writeFileSync(
      settings,
      JSON.stringify({ demo: "off", primaryNetworks: [{ network: "fuji", networkId: 5, nodeUrl }] }),
    );
    await using process = await run("verify", { MORAINE_CONFIG: settings, DATABASE_URL: database.url });
    expect(await once(process.child, "close")).toEqual([1, null]);
    expect(process.output().trim().split("\n")).toEqual(["the node answered with an error: not now (-32000)"]);
  });
});
