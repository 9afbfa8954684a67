import { setTimeout as sleep } from "node:timers/promises";
import { testConfig } from "../../../../test/support/config.ts";
import { listen } from "../../../../test/support/node/listen.ts";
import { createHealthClock } from "../runner/clock.ts";
import { httpProbe, probesOf } from "./probes.ts";
import { type Probe, routerCheck } from "./router.ts";

const { signal } = new AbortController();
const clock = createHealthClock();
const checkOf = (probes: Readonly<Record<string, Probe>>) => routerCheck({ probes, clock, timeLimitMs: 60 });

describe("the check router", () => {
  it("passes when every part answers", async () => {
    const { message, error } = await checkOf({ gateway: async () => {}, evm: () => sleep(5) })(signal);
    expect(error).toBeUndefined();
    expect(message).toEqual({
      longestRunningRequest: "0s",
      outstandingRequests: 0,
      parts: {
        gateway: { healthy: true, responseTime: expect.stringMatching(/s$/) },
        evm: { healthy: true, responseTime: expect.stringMatching(/^\d+\.?\d*ms$/) },
      },
    });
  });

  it("passes with a supergraph that is out of date, and says so", async () => {
    const supergraph = () => ({ hash: "cd63f6080aef", warning: "the earlier one is answered" });
    const check = routerCheck({ probes: { gateway: async () => {} }, clock, timeLimitMs: 60, supergraph });
    const { message, error } = await check(signal);
    expect(error).toBeUndefined();
    expect(message).toMatchObject({ supergraph: supergraph() });
  });

  it("names the parts that do not answer, counts outstanding requests, and sends a part one request at a time", async () => {
    let asked = 0;
    let answer = () => {};
    const hanging: Probe = () => {
      asked += 1;
      return new Promise<void>((done) => {
        answer = done;
      });
    };
    const broken: Probe = async () => {
      throw new Error("connect ECONNREFUSED 10.0.0.7:4000");
    };
    const check = checkOf({ gateway: async () => {}, evm: hanging, "primary-network": broken });
    const first = await check(signal);
    const second = await check(signal);
    const error =
      "the router is not healthy reason: evm: no answer within 60ms, primary-network: it did not answer correctly";
    expect([first.error, second.error, asked]).toEqual([error, error, 1]);
    expect(second.message).toMatchObject({
      outstandingRequests: 1,
      longestRunningRequest: expect.stringMatching(/^\d+\.?\d*m?s$/),
      parts: { gateway: { healthy: true }, evm: { healthy: false }, "primary-network": { healthy: false } },
    });
    answer();
    await sleep(1);
    const third = checkOf({ evm: async () => {} });
    expect((await third(signal)).error).toBeUndefined();
  });

  it("requests parts in other processes at the configured URLs", async () => {
    const bodies: string[] = [];
    await using server = await listen((request, response) => {
      request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on("end", () => response.end(request.url === "/graphql" ? '{"data":{"__typename":"Query"}}' : "{}"));
    });
    const probes = probesOf({
      gatewayUrl: `${server.url}/graphql`,
      evmSubgraphUrl: `${server.url}/other`,
      primaryNetworkSubgraphUrl: undefined,
      signatures: testConfig().signatures,
    });
    expect(Object.keys(probes)).toEqual(["gateway", "evm"]);
    const check = routerCheck({ probes, clock, timeLimitMs: 5_000 });
    expect((await check(signal)).error).toBe("the router is not healthy reason: evm: it did not answer correctly");
    expect(bodies).toEqual(Array(2).fill('{"query":"{ __typename }"}'));
    await expect(httpProbe("http://127.0.0.1:9/graphql")(signal)).rejects.toBeDefined();
  });

  it("requests the health of the signature service in another process", async () => {
    let status = 200;
    const asked: unknown[] = [];
    await using server = await listen(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(status).end("{}");
    });
    const signatures = { ...testConfig().signatures, serviceUrl: `${server.url}/` };
    const check = routerCheck({ probes: probesOf({ signatures }), clock, timeLimitMs: 5_000 });
    expect((await check(signal)).error).toBeUndefined();
    status = 503;
    expect((await check(signal)).error).toMatch(/signature-service: it did not answer correctly$/);
    expect(asked).toEqual(Array(2).fill("GET /health"));
  });
});
