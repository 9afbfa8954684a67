import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecutionResult } from "graphql";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { serveOther } from "../federation/other-teams.ts";
import { ask } from "../federation/served.ts";
import { overSse } from "../federation/subscribe.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { ended, run } from "./processes.ts";
import { until } from "./until.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-reload-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const MORAINE_CONFIG = join(folder, "moraine.json");
const settings = (content: object): void => writeFileSync(MORAINE_CONFIG, JSON.stringify(content));
const KEY = "a-key-of-at-least-32-characters-0123456789";

async function chainsAt(url: string, key?: string): Promise<{ readonly status: number; readonly ids: string[] }> {
  const response = await fetch(`${url}/v1/chains`, { headers: key ? { "x-service-api-key": key } : {} });
  const { chains = [] } = (await response.json()) as { readonly chains?: readonly { readonly chainId: string }[] };
  return { status: response.status, ids: chains.map(({ chainId }) => chainId).sort() };
}

/** Sends requests one after another until it is disposed, and counts those that are not answered with 200. */
function keepAsking(url: string) {
  const stop = new AbortController();
  const failures: unknown[] = [];
  let answered = 0;
  const asking = (async () => {
    while (!stop.signal.aborted) {
      const outcome = await fetch(`${url}/v1/chains`).then(
        async (response) => [response.status, await response.text()] as const,
        (error: unknown) => [String(error)] as const,
      );
      if (outcome[0] === 200) answered++;
      else failures.push(outcome);
      await sleep(5);
    }
  })();
  return {
    failures,
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await asking;
    },
  };
}

describe("settings that are read again", () => {
  it("change chains and keys while every request is answered, and wrong ones leave the service as it is", async () => {
    await using database = await createTestDatabase();
    await using node = await startReplayNode({ heads: "full" });
    const [first, second] = demoConfig(node.recording.manifest, node.url);
    // Its settings have numbers that JSON cannot write.
    const primaryNetworks = [demoNetwork(node.recording.manifest, ALPHA, node.url)];
    settings({ evmChains: [first], primaryNetworks });
    const env = { MORAINE_CONFIG, MORAINE_DATA: folder, DATABASE_URL: database.url, PORT: "0" };
    await using service = await run("start", env);
    const [url = ""] = await service.until(/http:\/\/127\.0\.0\.1:\d+/);
    const before = await chainsAt(url);
    expect(before).toMatchObject({ status: 200, ids: [String(first?.chainId)] });
    expect((await chainsAt(url, KEY)).status).toBe(401);
    {
      await using asked = keepAsking(url);
      settings({ evmChains: [first, second], primaryNetworks, apiKeys: [{ key: KEY }] });
      await using reload = await run("reload", env);
      await reload.until(/^process \d+ has read the settings again$/m);
      expect(service.output()).toMatch(/the settings were read again/);
      const soFar = asked.answered();
      await until(
        () => asked.answered() >= soFar + 10,
        () => `${asked.answered()} answers`,
      );
      expect(asked.failures).toEqual([]);
    }
    const both = [first, second].map((chain) => String(chain?.chainId)).sort();
    expect(await chainsAt(url, KEY)).toEqual({ status: 200, ids: both });
    await service.until(new RegExp(`"chainId":"${second?.chainId}","state":"FOLLOWING"`));

    settings({ evmChains: [first, { ...second, chainId: 7 }], primaryNetworks });
    expect(await ended("reload", [], env)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^the settings were read and cannot be used; the earlier ones stay: setting evmChains\.1\.chainId is 7: .*$/m,
      ),
    });
    writeFileSync(MORAINE_CONFIG, "{");
    await using wrong = await run("reload", env);
    await wrong.until(/must be a readable JSON file/);
    expect(await chainsAt(url, KEY)).toEqual({ status: 200, ids: both });

    const needStart = "these settings have changed and need a start of Moraine: databasePoolSize";
    settings({ evmChains: [second], apiKeys: [{ key: KEY }], databasePoolSize: 7 });
    expect(await ended("reload", [], env)).toEqual({
      code: 0,
      output: `process ${service.child.pid} has read the settings again\n${needStart}\n`,
    });
    expect(service.output()).toContain(needStart);
    expect((await chainsAt(url)).ids).toEqual([String(second?.chainId)]);
    // Only the setting of the graph changes: subscriptions go on.
    await using other = await serveOther("type Query { shades: [String] }", { Query: { shades: () => ["dark"] } });
    const events = overSse<ExecutionResult>(`${url}/graphql`, "subscription { healthChanged { healthy } }");
    const ends: string[] = [];
    await events.next();
    const following = (async () => {
      for await (const { errors } of events) if (errors) ends.push(String(errors[0]?.message));
    })();
    const graph = { subgraphs: [{ name: "shades", url: other.url }] };
    settings({ evmChains: [second], apiKeys: [{ key: KEY }], databasePoolSize: 7, graph });
    service.child.kill("SIGHUP");
    const shades = () => ask(`${url}/graphql`, "{ shades }");
    await until(async () => (await shades()).data !== undefined, service.output);
    expect(await shades()).toEqual({ data: { shades: ["dark"] } });
    expect((await chainsAt(url)).ids).toEqual([String(second?.chainId)]);
    expect(ends).toEqual([]);
    service.child.kill("SIGTERM");
    await service.until(/the process ends/);
    await following;
    expect(ends).toEqual(["the server is shutting down, subscribe again"]);
  }, 180_000);

  it("are not asked of a process that has the id of a service that was killed", async () => {
    const MORAINE_DATA = join(folder, "killed");
    mkdirSync(MORAINE_DATA);
    using other = spawn("sleep", ["60"]);
    writeFileSync(join(MORAINE_DATA, "moraine.pid"), `${other.pid} 1`);
    expect(await ended("reload", [], { MORAINE_DATA, MORAINE_DEMO: "off" })).toEqual({
      code: 1,
      output: expect.stringMatching(/^no service that can read its settings again runs with the data directory/m),
    });
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });
});
