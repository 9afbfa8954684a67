import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import type { ExecutionResult } from "graphql";
import { overSse } from "../federation/subscribe.ts";
import { childPids } from "../support/exports/worker-pids.ts";
import { ended, isRunning, run } from "./processes.ts";
import { until } from "./until.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-api-processes-"));
// The server's account must be able to enter the directory if root runs the tests.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WORKER = "commands/api/worker.";

/** A client with one connection, so that one process of the API answers all its requests. */
function connectTo(base: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async ask<Body>(path: string): Promise<{ readonly status: number; readonly body: Body }> {
      const [response] = (await once(get(`${base}${path}`, { agent }), "response")) as [IncomingMessage];
      return { status: response.statusCode ?? 0, body: (await json(response)) as Body };
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

interface Page {
  readonly blocks: readonly { readonly blockNumber: string }[];
  readonly nextPageToken?: string;
}

describe("an API in two processes on one port", () => {
  it("shares page tokens, limits, subscriptions, signatures and metrics, and survives the end of a process", async () => {
    const MORAINE_CONFIG = join(folder, "moraine.json");
    const settings = { api: { processes: 2 }, observability: { port: 0 }, computeUnitsPerDay: 500 };
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ ...settings, demo: "full" }));
    const env = { MORAINE_CONFIG, MORAINE_DATA: folder, PORT: "0" };
    await using service = await run("start", env);
    const [metricsUrl = ""] = await service.until(/http:\S+\/metrics/);
    const [, base = ""] = await service.until(/answers on (http:\S+)/);
    const processes = childPids(service.child.pid, WORKER);
    expect(processes).toHaveLength(2);
    // Connections go to the processes in turns.
    using first = connectTo(base);
    using second = connectTo(base);

    const page = await first.ask<Page>("/v1/chains/760011/blocks?pageSize=2");
    expect(page).toMatchObject({ status: 200, body: { blocks: [{ blockNumber: "234" }, { blockNumber: "233" }] } });
    const next = `/v1/chains/760011/blocks?pageSize=2&pageToken=${page.body.nextPageToken}`;
    expect((await second.ask<Page>(next)).body.blocks.map(({ blockNumber }) => blockNumber)).toEqual(["232", "231"]);
    const metrics = await (await fetch(metricsUrl)).text();
    for (const name of ["api-1", "api-2"])
      expect(metrics).toContain(
        `duration_seconds_count{method="GET",route="/v1/chains/{chainId}/blocks",status="200",process="${name}"} 1\n`,
      );

    const unknown = "/v1/signatureAggregator/fuji/aggregateSignatures/11111111111111111111111111111111LpoYY";
    for (const one of [first, second])
      expect(await one.ask(unknown)).toMatchObject({
        status: 404,
        body: {
          message: "txHash 11111111111111111111111111111111LpoYY is not indexed as a transaction of network fuji",
        },
      });

    for (const one of [first, second]) {
      const events = overSse<ExecutionResult>(`${base}/graphql`, "subscription { healthChanged { healthy } }");
      expect((await events.next()).value).toMatchObject({ data: { healthChanged: { healthy: expect.any(Boolean) } } });
      await events.return(undefined);
      expect((await one.ask("/v1/chains")).status).toBe(200);
    }

    // Each request costs 20 units of those that both processes grant together.
    const statuses: number[] = [];
    const transfers = `/v1/chains/760011/addresses/0x${"1".repeat(40)}/transactions:listErc20`;
    while (statuses.length < 40) statuses.push((await (statuses.length % 2 ? first : second).ask(transfers)).status);
    const granted = statuses.filter((status) => status === 200);
    expect(statuses).toEqual([...granted, ...Array(40 - granted.length).fill(429)]);
    expect(granted.length).toBeGreaterThan(10);
    expect(granted.length).toBeLessThan(25);

    const [lost = 0] = processes;
    process.kill(lost, "SIGKILL");
    await service.until(/process \d of the API has ended \(SIGKILL\); a new one starts/);
    expect((await fetch(`${base}/v1/health-check`)).status).toBe(200);
    const now = await until(() => {
      const pids = childPids(service.child.pid, WORKER);
      return pids.length === 2 && !pids.includes(lost) ? pids : null;
    }, service.output);

    service.child.kill("SIGTERM");
    await once(service.child, "exit");
    expect(service.child.exitCode).toBe(0);
    expect(now.filter(isRunning)).toEqual([]);
  }, 240_000);

  it("does not start if one setting of it cannot be used, and says which", async () => {
    const occupied = createServer().listen(0, "127.0.0.1");
    await once(occupied, "listening");
    const { port } = occupied.address() as AddressInfo;
    const MORAINE_CONFIG = join(folder, "occupied.json");
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ api: { processes: 2 }, port, demo: "full" }));
    const { code, output } = await ended("start", [], { MORAINE_CONFIG, MORAINE_DATA: folder });
    occupied.close();
    expect(code).toBe(1);
    expect(output).toContain(`setting port is ${port}: another process listens there`);
  }, 120_000);
});
