import { setImmediate as turn } from "node:timers/promises";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../../test/support/config.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { createManualClock } from "../../test/support/p2p/manual-clock.ts";
import { AGGREGATION_PATH, MESSAGES_PATH } from "../protocol/protocol.ts";
import { keepService } from "./keep-service.ts";
import { forkService, type ServiceProcess } from "./service-process.ts";

/** Nothing listens there. */
const DATABASE = "postgresql://127.0.0.1:1/none";

describe("the process of the signature service", () => {
  it("starts with the first request, answers on a port of its own, is replaced when it is killed, and ends when it is asked to", async () => {
    const started: ServiceProcess[] = [];
    const fork = () => {
      const config = testConfig();
      const service = forkService({ config, databaseUrl: DATABASE, logLevel: "fatal" });
      started.push(service);
      return service;
    };
    const service = keepService(fork, createLogger("silent"));
    expect(service.url()).toBeNull();
    expect(await service.urlSoon(AbortSignal.abort())).toBeNull();
    expect(started).toEqual([]);
    // Requests wait for the start.
    const url = await service.urlSoon();
    expect(url).not.toBeNull();
    expect(started).toHaveLength(1);
    const response = await fetch(`${url}${MESSAGES_PATH}`, { method: "POST", body: "[]" });
    expect([response.status, await response.json()]).toEqual([200, []]);
    const refused = await fetch(`${url}${AGGREGATION_PATH}`, { method: "POST", body: "{" });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: "INVALID_PARAMETER" }]);
    await started[0]?.ping();
    // A stopped process does not answer, and can only be killed.
    process.kill(started[0]?.pid ?? 0, "SIGSTOP");
    started[0]?.kill();
    await until(
      async () => service.url(),
      (now) => now === null,
      "the end of the service",
    );
    expect(await service.urlSoon()).not.toBe(url);
    expect(started).toHaveLength(2);
    expect(service.url()).not.toBeNull();
    await service[Symbol.asyncDispose]();
    expect(service.url()).toBeNull();
    expect(await service.urlSoon()).toBeNull();
    expect(await started[1]?.ended).toBe("code 0");
  });
});

describe("a process that hangs", () => {
  function keepFake() {
    const clock = createManualClock(0);
    const fake = createFakeProcess();
    const { logger, lines } = createLogLines("warn");
    const service = keepService(() => fake.service, logger, clock.after);
    void service.urlSoon();
    const advance = async (ms: number) => {
      await turn();
      clock.advance(ms);
      await turn();
    };
    return { fake, lines, service, advance };
  }

  it("is killed if it has not answered for 20 s", async () => {
    const { fake, lines, service, advance } = keepFake();
    fake.listen(1);
    await advance(5_000);
    expect(service.url()).toBe("http://127.0.0.1:1");
    for (const answer of fake.pings) answer(undefined);
    await advance(20_000);
    expect(fake.pings).toHaveLength(6);
    expect(lines).toEqual([]);
    await advance(5_000);
    expect(service.url()).toBeNull();
    expect(lines).toMatchObject([
      { msg: expect.stringContaining("(killed: it has not answered for 20 s); a new one") },
    ]);
    await service[Symbol.asyncDispose]();
  });

  it("is killed if it does not start in 60 s", async () => {
    const { fake, lines, service, advance } = keepFake();
    await advance(59_999);
    expect(lines).toEqual([]);
    await advance(1);
    expect(lines).toMatchObject([{ msg: expect.stringContaining("(killed: it did not start in 60 s); a new one") }]);
    // What it says too late does not count.
    fake.listen(1);
    await advance(0);
    expect(service.url()).toBeNull();
    expect(fake.pings).toEqual([]);
    await service[Symbol.asyncDispose]();
  });
});

/** A process that does only what the test says. */
function createFakeProcess() {
  let [listen, end] = [(_port: number) => {}, (_reason: string) => {}];
  const pings: ((answer: unknown) => void)[] = [];
  const service: ServiceProcess = {
    pid: 1,
    listening: new Promise((resolve) => {
      listen = resolve;
    }),
    ended: new Promise((resolve) => {
      end = resolve;
    }),
    ping: () => new Promise((resolve) => pings.push(resolve)),
    kill: () => end("SIGKILL"),
    end: async () => end("code 0"),
  };
  return { service, listen, pings };
}
