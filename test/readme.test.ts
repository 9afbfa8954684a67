import { readFileSync } from "node:fs";
import { createLogger } from "../core/logger.ts";
import { createLocalCounters } from "../core/rate-counters.ts";
import { startMoraine } from "../moraine.ts";
import { indexedAlphaNetwork } from "./support/indexed/alpha-network.ts";
import { indexedAlpha } from "./support/indexed/indexed.ts";

const readme = readFileSync("README.md", "utf8");

/** Requests of the README with the responses below them. */
const calls = [...readme.matchAll(/```sh\n(curl .*)\n```\n\n```json\n([\s\S]*?)```/g)].map(
  ([, command = "", answer = ""]) => ({
    path: /http:\/\/127\.0\.0\.1:4000([^\s']*)/.exec(command)?.[1] ?? "",
    body: /-d '(.*)'/.exec(command)?.[1],
    answer: JSON.parse(answer) as unknown,
  }),
);

/** GraphQL documents of the README, to be run against the demo. */
const documents = [...readme.matchAll(/```graphql\n([\s\S]*?)```/g)]
  .flatMap(([, text = ""]) => text.split("\n"))
  .filter((line) => line !== "" && !line.startsWith("#"));

describe("the README", () => {
  it("shows a REST and a GraphQL request", () => {
    expect(calls.map(({ path }) => path.split("/")[1])).toEqual(["v1", "graphql"]);
  });

  it.each(calls)("shows the real response of $path", async ({ path, body, answer }) => {
    await using database = await indexedAlpha();
    await using moraine = await startMoraine({
      config: database.config,
      database,
      counters: createLocalCounters(),
      logger: createLogger("silent"),
    });
    const init = body ? { method: "POST", headers: { "content-type": "application/json" }, body } : {};
    const response = await fetch(`http://127.0.0.1:${moraine.port}${path}`, init);
    expect(await response.json()).toEqual(answer);
  });

  it("has a GraphQL query with results in the demo", async () => {
    await using database = await indexedAlphaNetwork();
    const { evmChains, primaryNetworks } = database.config;
    const nodeUrl = new URL(evmChains[0]?.nodeUrl ?? "").origin;
    await using moraine = await startMoraine({
      config: { ...database.config, primaryNetworks: primaryNetworks.map((network) => ({ ...network, nodeUrl })) },
      database,
      counters: createLocalCounters(),
      logger: createLogger("silent"),
    });
    expect(documents.length).toBeGreaterThan(8);
    for (const query of documents) {
      const response = await fetch(`http://127.0.0.1:${moraine.port}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await response.json()) as { data: object; errors?: unknown };
      expect([query, errors]).toEqual([query, undefined]);
      // Neither null nor an empty list.
      expect([query, JSON.stringify(Object.values(data))]).not.toEqual([
        query,
        expect.stringMatching(/^\[null\]$|:\[\]/),
      ]);
    }
  });
});
