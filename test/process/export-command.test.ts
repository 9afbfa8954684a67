import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { startOwnService } from "../../commands/export-service.ts";
import { type Moraine, startMoraine } from "../../commands/moraine.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { exportArguments } from "../../exporter/command/arguments.ts";
import { requireWritable } from "../../exporter/command/output-file.ts";
import { runExport } from "../../exporter/command/run.ts";
import { startExporter } from "../../exporter/exporter.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { run } from "./processes.ts";
import { until } from "./until.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const HINT = /interrupted: run the same command again to continue/;

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let moraine: Moraine;
let downloads: Awaited<ReturnType<typeof startDownloadProxy>>;
const directory = mkdtempSync(join(tmpdir(), "moraine-export-command-"));
const logger = createLogger("silent");
const configured = () => ({
  ...alpha.config,
  port: 0,
  exports: { ...alpha.config.exports, directory: join(directory, "files"), publicUrl: downloads.url },
});
const serviceUrl = () => `http://127.0.0.1:${moraine.port}`;
const startWorker = () => startExporter({ config: configured(), databaseUrl: alpha.url, logger });

beforeAll(async () => {
  [alpha, downloads] = await Promise.all([indexedAlpha(), startDownloadProxy(() => moraine.port)]);
  const counters = createLocalCounters();
  moraine = await startMoraine({ config: configured(), database: alpha, counters, logger, idleGraceMs: 0 });
});
afterAll(async () => {
  await downloads[Symbol.asyncDispose]();
  await moraine[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Forwards downloads to the service. The next one stops in the middle after `holdNext`, and gets 503 after `failNext`. */
async function startDownloadProxy(port: () => number) {
  const ranges: (string | undefined)[] = [];
  let isHolding = false;
  let isFailing = false;
  const server = createServer(async ({ url, headers: { range } }, response) => {
    ranges.push(range);
    if (isFailing) {
      isFailing = false;
      response.writeHead(503).end();
      return;
    }
    const answer = await request(`http://127.0.0.1:${port()}${url}`, { headers: range ? { range } : {} });
    const body = Buffer.from(await answer.body.arrayBuffer());
    response.writeHead(answer.statusCode, { "content-length": body.length });
    if (!isHolding) return void response.end(body);
    isHolding = false;
    response.write(body.subarray(0, body.length / 2));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server that listens has one
    /** The header Range of each download. */
    ranges,
    holdNext: () => {
      isHolding = true;
    },
    failNext: () => {
      isFailing = true;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Order {
  readonly out: string;
  readonly more?: readonly string[];
}

/** Starts the command for the running service. Each test has a day of its own, so that no two have the same export. */
const command = ({ out, more = [] }: Order) => {
  const args = ["--type", "evm", "--address", WALLET, "--chain", "760011", "--url", serviceUrl(), "--out", out];
  return run("export", {}, [...args, ...more]);
};

/** Exit code and output of a command that ends by itself. */
async function ended(starting: ReturnType<typeof run>) {
  await using process = await starting;
  await once(process.child, "close");
  return { code: process.child.exitCode, output: process.output() };
}

const path = (name: string) => join(directory, name);
const idIn = (output: string) => /^export ([0-9a-f-]{36}) started$/m.exec(output)?.[1] ?? "";
const stateOf = (out: string) => JSON.parse(readFileSync(`${out}.export.json`, "utf8")) as { operationId: string };

describe("`moraine export`", () => {
  it.each<[options: Record<string, string | string[]>, message: string]>([
    [{ chain: ["7"] }, '--chain must be in the list of chains, got "7"'],
    [{ address: ["0x1"] }, '--address must be an EVM address: 0x and 40 hex digits, got "0x1"'],
    [{ from: "2026-1-1" }, '--from must be a date that exists, as YYYY-MM-DD, got "2026-1-1"'],
    [
      { from: "2026-02-02", to: "2026-02-01" },
      '--from must not be after --to, got --from "2026-02-02" and --to "2026-02-01"',
    ],
    [{ type: "primary-network", chain: ["p-chain"] }, "--type must be evm: no primary network is served here"],
    [{ type: "evn" }, '--type is "evn": must be one of evm, primary-network'],
    [{ "date-format": "iso" }, '--date-format is "iso": must be one of iso-8601, date-time'],
    [{ url: "127.0.0.1" }, "--url must be a URL that begins with http"],
  ])("names the option for the wrong value %j", async (wrong, message) => {
    const given = {
      type: "evm",
      address: [WALLET],
      chain: ["760011"],
      url: serviceUrl(),
      out: path("a.csv"),
      ...wrong,
    };
    const exported = async () => runExport(serviceUrl(), exportArguments(given), new AbortController().signal);
    await expect(exported()).rejects.toThrow(message);
  });

  it("starts nothing if the file cannot be written, and prints one line", async () => {
    mkdirSync(path("folder"));
    const [missing, folder] = await Promise.all(
      ["missing/a.csv", "folder"].map((name) => ended(command({ out: path(name) }))),
    );
    const file = path("missing/a.csv");
    const directoryOfIt = path("missing");
    expect(missing).toEqual({ code: 1, output: `--out is "${file}": the directory ${directoryOfIt} does not exist\n` });
    expect(folder).toEqual({ code: 1, output: `--out is "${path("folder")}": must be a file, not a directory\n` });
    expect(readdirSync(directory)).toEqual(["folder"]);
    expect(() => requireWritable("/dev/full")).toThrow('--out is "/dev/full": must be a regular file');
    expect((await alpha.pool.query("SELECT FROM operations")).rowCount).toBe(0);
  });

  it("continues after SIGINT with the export that it started, and ends with 1 if that was cancelled", async () => {
    const first = path("wallet.csv.gz");
    const second = path("cancelled.csv");
    const order: Order = { out: first, more: ["--gzip", "--from", "2020-01-01"] };
    const others: Order = { out: second, more: ["--from", "2020-01-02"] };
    const [interrupted, cancelled] = await Promise.all([command(order), command(others)]);
    const ends = [interrupted, cancelled].map((process) => ended(Promise.resolve(process)));
    await Promise.all([interrupted.until(/waiting for a worker/), cancelled.until(/waiting for a worker/)]);
    const id = idIn(interrupted.output());
    interrupted.child.kill("SIGINT");
    expect(await ends[0]).toEqual({ code: 130, output: expect.stringMatching(HINT) });
    expect(stateOf(first).operationId).toBe(id);

    await cancel(idIn(cancelled.output()));
    expect(await ends[1]).toEqual({ code: 1, output: expect.stringMatching(/^the export was cancelled$/m) });

    await using _worker = startWorker();
    const { code, output } = await ended(command(order));
    expect(output).toMatch(/^continuing the export that was started at 20.*Z; delete .*wallet\.csv\.gz\.export\.json/);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/wallet\.csv\.gz: \d+ rows/) });
    expect(gunzipSync(readFileSync(first)).toString()).toMatch(/^RowType,ChainId/);
    expect(readdirSync(directory).filter((name) => /wallet|cancelled/.test(name))).toEqual(["wallet.csv.gz"]);
  });

  it("writes the form that its options ask for", async () => {
    await using _worker = startWorker();
    const out = path("form.csv");
    const more = ["--date-format", "date-time", "--bom", "--exported-address", "--from", "2020-01-04"];
    expect(await ended(command({ out, more }))).toMatchObject({ code: 0 });
    const [header = "", first = ""] = readFileSync(out, "utf8").split("\r\n");
    expect(header).toMatch(/^\ufeffRowType,ChainId,.*,ExportedAddress$/);
    expect(first).toMatch(/,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,/);
    expect(first.toLowerCase().endsWith(`,${WALLET}`)).toBe(true);
  });

  it("continues a download after the bytes that it has, tries again after a 503, and leaves the files of others alone", async () => {
    await using _worker = startWorker();
    const out = path("cut.csv");
    const order: Order = { out, more: ["--from", "2020-01-03"] };
    writeFileSync(`${out}.partial`, "of another program");
    downloads.holdNext();
    const interrupted = await command(order);
    const end = ended(Promise.resolve(interrupted));
    await interrupted.until(/export [0-9a-f-]{36} started/);
    const partial = `${out}.${idIn(interrupted.output())}.partial`;
    await until(() => existsSync(partial) && readFileSync(partial).length > 0, interrupted.output);
    interrupted.child.kill("SIGTERM");
    expect(await end).toEqual({ code: 143, output: expect.stringMatching(HINT) });
    const half = readFileSync(partial);
    downloads.failNext();
    expect(await ended(command(order))).toMatchObject({ code: 0 });
    expect(downloads.ranges.at(-1)).toBe(`bytes=${half.length}-`);
    expect(readFileSync(out).subarray(0, half.length)).toEqual(half);
    expect(readFileSync(out, "utf8")).toMatch(/\r\n$/);
    expect(readdirSync(directory).filter((name) => name.startsWith("cut"))).toEqual(["cut.csv", "cut.csv.partial"]);
  });

  it("exports by itself if no service runs, unless nothing is indexed: then it creates nothing", async () => {
    const chains = alpha.config.evmChains.map(({ chainId, nodeUrl }) => ({ chainId, nodeUrl }));
    const evmChains = chains.map((chain) => ({ ...chain, network: "fuji", chainName: "C" }));
    const MORAINE_CONFIG = path("moraine.json");
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains, exports: { directory: path("files") } }));
    const env = { MORAINE_CONFIG, PORT: "0", MORAINE_DATA: path("data") };
    const args = ["--type", "evm", "--address", WALLET, "--chain", "760011", "--out", path("alone.csv")];
    const [alone, empty] = await Promise.all([
      ended(run("export", { ...env, DATABASE_URL: alpha.url }, args)),
      ended(run("export", env, args)),
    ]);
    expect(alone).toEqual({ code: 0, output: expect.stringMatching(/alone\.csv: \d+ rows/) });
    expect(empty).toEqual({
      code: 1,
      output: `No service runs, and the data directory ${path("data")} has no indexed blocks: run \`npm start\` first, or name a running service with --url\n`,
    });
    expect(existsSync(path("data"))).toBe(false);
  });

  it("does not export by itself from a database without indexed blocks", async () => {
    await using empty = await createTestDatabase();
    const started = () =>
      startOwnService({ ...configured(), port: 4000, databaseUrl: empty.url }, new AbortController().signal);
    const message =
      "No service answers at http://127.0.0.1:4000, and the database has no indexed blocks: run `npm start`";
    await expect(started()).rejects.toThrow(message);
    await empty.pool.query("DROP TABLE chain_heads");
    await expect(started()).rejects.toThrow(message);
  });
});

/** The command does not show the token of its export, so this one replaces it. */
const CANCEL_TOKEN = "token-of-the-test";

async function cancel(operationId: string): Promise<void> {
  await alpha.pool.query("UPDATE operations SET cancel_token_hash = sha256($1) WHERE operation_id = $2", [
    Buffer.from(CANCEL_TOKEN),
    operationId,
  ]);
  const query = `mutation { cancelOperation(operationId: "${operationId}", cancelToken: "${CANCEL_TOKEN}") { operationStatus } }`;
  const { statusCode, body } = await request(`${serviceUrl()}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  expect([statusCode, await body.json()]).toMatchObject([200, { data: { cancelOperation: {} } }]);
}
