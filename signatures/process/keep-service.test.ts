import { createLogger } from "../../core/logger.ts";
import { AGGREGATION_PATH, MESSAGES_PATH } from "../../core/signature-service/protocol.ts";
import { testConfig } from "../../test/support/config.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { keepService } from "./keep-service.ts";
import { forkService, type ServiceProcess } from "./service-process.ts";

/** Nothing listens there. */
const DATABASE = "postgresql://127.0.0.1:1/none";

describe("the process of the signature service", () => {
  it("answers on a port of its own, is replaced when it is killed, and ends when it is asked to", async () => {
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
    // Requests wait for the start.
    const url = await service.urlSoon();
    expect(url).not.toBeNull();
    const response = await fetch(`${url}${MESSAGES_PATH}`, { method: "POST", body: "[]" });
    expect([response.status, await response.json()]).toEqual([200, []]);
    const refused = await fetch(`${url}${AGGREGATION_PATH}`, { method: "POST", body: "{" });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: "INVALID_PARAMETER" }]);
    process.kill(started[0]?.pid ?? 0, "SIGKILL");
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
