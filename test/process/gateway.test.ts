import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composeSupergraph } from "../../gateway/compose.ts";
import { serveOther } from "../federation/other-teams.ts";
import { ask } from "../federation/served.ts";
import { freePort } from "../support/node/listen.ts";
import { ended, run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-gateway-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PETS = `type Query { pets: [Pet!]! } type Pet @key(fields: "id") { id: ID! }`;
const FEDERATION = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"]) `;

describe("moraine gateway", () => {
  it("serves any supergraph without a chain or a database, reads it again at SIGHUP, and composes subgraphs without one", async () => {
    await using pets = await serveOther(PETS, { Query: { pets: () => [{ id: "1" }] } });
    await using names = await serveOther(`type Pet @key(fields: "id") { id: ID! name: String }`, {
      Pet: { __resolveReference: ({ id }: { readonly id: string }) => ({ id, name: `pet ${id}` }) },
    });
    const file = join(folder, "supergraph.graphql");
    const pet = { name: "pets", url: pets.url, sdl: FEDERATION + PETS };
    const name = {
      name: "names",
      url: names.url,
      sdl: `${FEDERATION} type Pet @key(fields: "id") { id: ID! name: String }`,
    };
    writeFileSync(file, composeSupergraph([pet]));
    const metricsPort = String(await freePort());
    const env = { PORT: "0", MORAINE_DATA: folder, OBSERVABILITY_PORT: metricsPort };
    {
      await using gateway = await run(`gateway --supergraph ${file} --graph.poll-interval-ms 0`, env);
      const [url = ""] = await gateway.until(/http:\/\/\S+\/graphql/);
      expect(await ask(url, "{ pets { id } }")).toEqual({ data: { pets: [{ id: "1" }] } });
      const page = await (await fetch(url, { headers: { accept: "text/html" } })).text();
      expect(page).toContain("GraphiQL");
      expect(page).not.toContain("chainName");
      // They are Moraine's own.
      expect((await fetch(new URL("/schema/scalars.json", url))).status).toBe(404);
      const metrics = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text());
      const [, hash] = /moraine_supergraph_info\{hash="(\w+)"\} 1/.exec(await metrics()) ?? [];
      expect(await (await fetch(new URL("/health", url))).json()).toMatchObject({
        healthy: true,
        supergraph: { hash },
      });
      writeFileSync(file, composeSupergraph([pet, name]));
      gateway.child.kill("SIGHUP");
      await gateway.until(/the setting graph and the supergraph were read again/);
      expect(await ask(url, "{ pets { name } }")).toEqual({ data: { pets: [{ name: "pet 1" }] } });
      writeFileSync(file, "no supergraph");
      gateway.child.kill("SIGHUP");
      await gateway.until(/the earlier supergraph stays: /);
      expect(await ask(url, "{ pets { name } }")).toEqual({ data: { pets: [{ name: "pet 1" }] } });
      expect(await metrics()).toMatch(/moraine_supergraph_failures_total 1\n/);
      gateway.child.kill("SIGTERM");
      await gateway.until(/the process ends/);
    }
    const subgraphs = JSON.stringify([pet, name].map(({ name: own, url }) => ({ name: own, url })));
    await using composed = await run("gateway", {
      PORT: "0",
      MORAINE_DATA: folder,
      MORAINE_GRAPH_SUBGRAPHS: subgraphs,
    });
    const [url = ""] = await composed.until(/http:\/\/\S+\/graphql/);
    expect(await ask(url, "{ pets { name } }")).toEqual({ data: { pets: [{ name: "pet 1" }] } });
    const nothing = await ended("gateway", [], { MORAINE_DATA: folder });
    expect([nothing.code, nothing.output]).toEqual([
      1,
      expect.stringContaining("the gateway has no graph: give --supergraph"),
    ]);
  }, 120_000);
});
