import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Failure } from "../../core/errors/errors.ts";
import { startServer } from "../../core/http/server.ts";
import { testConfig } from "../../test/support/config.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { startMetrics } from "../../test/support/metrics.ts";
import { until } from "../../test/support/p2p/transport.ts";
import { judgeResult, startValidators, taskFor } from "../../test/support/signatures/collection.ts";
import { lockIdentity } from "../p2p/identity/identity-lock.ts";
import { createSignatureService } from "../protocol/client.ts";
import type { AggregationInput } from "../protocol/protocol.ts";
import type { Resolver } from "../resolve/resolver.ts";
import type { Simulator } from "../validator-sim/simulator.ts";
import { createHandler } from "./handler.ts";
import { requireIdentityDirectories } from "./identity-directories.ts";
import { createNodeInfo, parseVersion } from "./node-info.ts";
import { createSource, type GivenAddress } from "./source.ts";

const INPUT: AggregationInput = {
  source: { kind: "message", network: "fuji", message: "00", justification: null },
  signingSubnetId: null,
  quorumPercentage: 67,
  quorumPercentageBuffer: 0,
  pChainHeight: "0",
};

let dataDirectory: string;
let simulator: Simulator;
beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), "moraine-signatures-"));
  // The clock of this service is the machine's.
  simulator = await startValidators(
    Array.from({ length: 5 }, () => ({ weight: 10n })),
    { fixedTime: undefined },
  );
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(dataDirectory, { recursive: true });
});

/** The service over the simulated network, with a resolver that gives its task, and a client. */
async function startService(
  nodes: Simulator = simulator,
  network: Readonly<Record<string, unknown>> = {},
  addresses: readonly GivenAddress[] = [],
) {
  const { logger, lines } = createLogLines("warn");
  const nodeUrl = nodes.population.url;
  const primary = { network: "fuji", networkId: 12_345, nodeUrl, genesisFile: "none", ...network };
  const config = testConfig({ dataDirectory, primaryNetworks: [primary] });
  const source = createSource({ config, addresses, logger });
  const resolver: Resolver = {
    async resolve({ source: given }) {
      if (given.kind === "transaction") throw new Failure("NOT_FOUND", "no such transaction");
      return taskFor(nodes);
    },
    describe: async (sources) => sources.map(() => ({ message: null })),
  };
  const stop = new AbortController();
  const handler = createHandler({
    resolver,
    source,
    checkHealth: () => requireIdentityDirectories(config),
    stopping: stop.signal,
    logger,
  });
  const server = await startServer({ host: "127.0.0.1", port: 0, handler, idleGraceMs: 0 });
  const client = createSignatureService({ url: () => `http://127.0.0.1:${server.port}` });
  return {
    client,
    lines,
    url: `http://127.0.0.1:${server.port}`,
    stop: () => stop.abort(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await client[Symbol.asyncDispose]();
      await Promise.all([server, source].map((one) => one[Symbol.asyncDispose]()));
      await until(() => nodes.report().every(({ connections }) => connections === 0));
    },
  };
}

async function collect(client: Awaited<ReturnType<typeof startService>>["client"], input = INPUT) {
  const steps = [];
  for await (const step of client.aggregate(input, new AbortController().signal)) steps.push(step);
  const last = steps.at(-1);
  if (last?.type !== "result") throw new Error("the last step is no result");
  return last;
}

describe("the signature service", () => {
  it("finds the validators by its node, and answers with the aggregate as the last line", async () => {
    await using service = await startService();
    expect(judgeResult(await collect(service.client), simulator, 67)).toMatchObject({ isValid: true, weight: 40n });
    expect(service.lines).toEqual([]);
    expect(await service.client.describe([INPUT.source])).toEqual([{ message: null }]);
  });

  it("answers failures with their code", async () => {
    const registry = await startMetrics();
    await using service = await startService();
    const source = { kind: "transaction", network: "fuji", txHash: "x" } as const;
    await expect(collect(service.client, { ...INPUT, source })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "no such transaction",
    });
    await expect(collect(service.client, { ...INPUT, quorumPercentageBuffer: 34 })).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
    });
    expect((await fetch(`${service.url}/other`, { method: "POST" })).status).toBe(404);
    await collect(service.client);
    const counted = await registry.getSingleMetric("moraine_signature_requests_total")?.get();
    expect(counted?.values.map(({ labels, value }) => [labels["outcome"], value]).sort()).toEqual([
      ["NOT_FOUND", 1],
      ["SIGNED", 1],
    ]);
  });

  it("gives up when the caller closes the connection, and when it stops", async () => {
    await using silent = await startValidators(
      Array.from({ length: 5 }, () => ({ faults: [{ kind: "silent" as const }] })),
      { fixedTime: undefined },
    );
    await using service = await startService(silent);
    const leave = new AbortController();
    const steps = service.client.aggregate(INPUT, leave.signal);
    await steps[Symbol.asyncIterator]().next();
    await until(() => silent.report().some(({ requests }) => requests > 0));
    leave.abort(new Error("left"));
    const other = collect(service.client);
    other.catch(() => {});
    await until(() => silent.report().some(({ requests }) => requests > 1));
    service.stop();
    await expect(other).rejects.toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("stops") });
  });

  it("accepts another certificate at an address that was given with it", async () => {
    const nodeId = "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
    await using ghost = await startValidators([{ nodeId }], { fixedTime: undefined });
    const [node] = ghost.population.nodes;
    if (!node) throw new Error("there is no node");
    const { ip: host, port, certificateNodeId } = node;
    const address = { networkId: 12_345, nodeId, host, port, certificateNodeId };
    await using service = await startService(ghost, {}, [address]);
    expect((await collect(service.client)).signers).toMatchObject([{ nodeIds: [nodeId] }]);
    expect(certificateNodeId).not.toBe(nodeId);
  });

  it("uses a new certificate, with a warning, while another process has the kept one", async () => {
    const directory = join(dataDirectory, "signatures", "12345");
    await using lock = await lockIdentity(directory);
    expect(lock).not.toBeNull();
    expect(await lockIdentity(directory)).toBeNull();
    await using service = await startService();
    await collect(service.client);
    expect(service.lines).toMatchObject([{ msg: expect.stringContaining("another process uses the certificate") }]);
  });

  it("refuses requests while the certificate file is broken, says so once in the log, and works when it is repaired", async () => {
    const path = join(dataDirectory, "signatures", "12345", "staking-certificate.pem");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "broken");
    await using service = await startService();
    for (let request = 0; request < 2; request++)
      await expect(collect(service.client)).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: expect.stringContaining("cannot use its certificate for network 12345"),
      });
    expect(service.lines).toMatchObject([
      { msg: expect.stringContaining(`the certificate file ${path} cannot be used`) },
    ]);
    rmSync(path);
    expect(judgeResult(await collect(service.client), simulator, 67)).toMatchObject({ isValid: true });
    expect(service.lines).toHaveLength(1);
  });

  it("asks the signature-aggregator of the settings", async () => {
    await using upstream = await startValidators(
      Array.from({ length: 5 }, () => ({ weight: 10n })),
      { aggregator: "honest", fixedTime: undefined },
    );
    await using service = await startService(upstream, { signatures: { aggregatorUrl: upstream.population.url } });
    const result = await collect(service.client);
    expect(result.collectedFrom).toBe("aggregator");
    expect(upstream.report().every(({ requests }) => requests === 0)).toBe(true);
  });
});

describe("the node", () => {
  it("says its version and the addresses of peers", async () => {
    const info = createNodeInfo({ nodeUrl: simulator.population.url, nodeHeaders: {} });
    expect(await info.version()).toEqual({ name: "avalanchego", major: 1, minor: 14, patch: 2 });
    const [node] = simulator.population.nodes;
    const address = { nodeId: node?.nodeId, host: "127.0.0.1", port: node?.port };
    expect(await info.peers([node?.nodeId ?? ""])).toEqual([address]);
    expect(parseVersion("avalanche")).toBeNull();
  });
});
