import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildClientSchema, type ExecutionResult, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { typedDocuments } from "../../tools/examples/client-code.ts";
import { ask } from "../federation/served.ts";
import { overSse } from "../federation/subscribe.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { run } from "./processes.ts";
import { until } from "./until.ts";

const EXAMPLE = "examples/seventh-subgraph";
const MORAINE_DATA = mkdtempSync(join(tmpdir(), "moraine-seventh-"));
afterAll(() => rmSync(MORAINE_DATA, { recursive: true, force: true }));

const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8");
const [serverCommand = "", moraineCommand = "", ...requests] = [...readme.matchAll(/```sh\n(.*)\n```/g)].map(
  ([, command = ""]) => command,
);

/** Starts the subgraph by the command of the README, on another port. */
async function startSubgraph() {
  const [, script = ""] = /^node (\S+)$/.exec(serverCommand) ?? [];
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env["PATH"], LABELS_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    port: /:(\d+)\/graphql$/.exec(line)?.[1] ?? line,
    async [Symbol.asyncDispose]() {
      if (child.kill("SIGKILL")) await once(child, "exit");
    },
  };
}

/** The settings of the example, with the port on which the subgraph listens here. */
const settingsFor = (port: string): string => {
  const { graph } = JSON.parse(readFileSync(join(EXAMPLE, "moraine.json"), "utf8"));
  return JSON.stringify(graph.subgraphs).replace("4100", port);
};

/** The document that a request of the README sends. */
function documentOf(request: string): string {
  const [, file = ""] =
    /^curl (?:-N )?http:\/\/127\.0\.0\.1:4000\/graphql -H 'content-type: application\/graphql' .*--data-binary @(\S+)$/.exec(
      request,
    ) ?? [];
  return readFileSync(file, "utf8");
}

/** Sends a request of the README. Returns its answer, or its first event. */
async function send(url: string, request: string): Promise<ExecutionResult> {
  const query = documentOf(request);
  if (!request.includes("-H 'accept: text/event-stream'")) {
    const headers = { "content-type": "application/graphql" };
    return (await (await fetch(url, { method: "POST", headers, body: query })).json()) as ExecutionResult;
  }
  for await (const event of overSse<ExecutionResult>(url, query)) return event;
  throw new Error(`no event of ${query}`);
}

const WALLET = "Wallet of the examples";

describe("the example of a seventh subgraph", () => {
  it("runs by the commands of its README, and is joined with Moraine's own fields in both directions", async () => {
    expect(requests.map((request) => /(\w[\w-]*)\.graphql$/.exec(request)?.[1]).sort()).toEqual(
      readdirSync(join(EXAMPLE, "documents"))
        .map((file) => file.replace(".graphql", ""))
        .sort(),
    );
    const [labelled = "", add = "", transactions = "", blocks = "", labelAdded = ""] = requests;
    await using database = await createTestDatabase();
    await using subgraph = await startSubgraph();
    const [, MORAINE_CONFIG = ""] = /^MORAINE_CONFIG=(\S+) npm start$/.exec(moraineCommand) ?? [];
    await using moraine = await run("start", {
      MORAINE_CONFIG,
      MORAINE_GRAPH_SUBGRAPHS: settingsFor(subgraph.port),
      MORAINE_DATA,
      DATABASE_URL: database.url,
      PORT: "0",
      LOG_LEVEL: "fatal",
    });
    const [, origin] = await moraine.until(/answers on (http:\/\/[\d.:]+)/);
    const url = `${origin}/graphql`;
    // On a busy machine, the API answers before all blocks are indexed.
    await until(async () => {
      const { data } = await ask(url, `{ evmBlock(chainId: "760011", blockNumber: "170") { blockNumber } }`);
      return data?.["evmBlock"];
    }, moraine.output);

    const event = send(url, labelAdded);
    let isOver = false;
    const end = () => (isOver = true);
    event.then(end, end);
    // The subscription has begun as soon as a label arrives.
    for (let added = 0; !isOver; added++) {
      const label = `chainId: "760011", address: "0x0100000000000000000000000000000000000000", text: "${added}", author: "test"`;
      expect(await ask(url, `mutation { addLabel(${label}) { text } }`)).toEqual({
        data: { addLabel: { text: `${added}` } },
      });
    }
    expect(await event).toEqual({
      data: {
        labelAdded: {
          text: expect.any(String),
          author: "test",
          evmAddress: {
            id: "760011:0x0100000000000000000000000000000000000000",
            transactionCount: expect.any(String),
            lastSeen: expect.anything(),
          },
        },
      },
    });

    expect(await send(url, add)).toEqual({
      data: {
        addLabel: {
          text: WALLET,
          author: "alice",
          createdAt: expect.any(Number),
          evmAddress: {
            label: WALLET,
            transactionCount: "67",
            nativeBalance: { balance: expect.any(String), symbol: "AVAX" },
          },
        },
      },
    });
    expect(await send(url, add)).toEqual({
      data: { addLabel: null },
      errors: [
        {
          message: `0xbee4880dbc658fd44fe9b1259df67a921e1a223f already has the label ${WALLET}`,
          path: ["addLabel"],
          extensions: { code: "LABEL_EXISTS" },
        },
      ],
    });
    expect(await send(url, labelled)).toMatchObject({
      data: {
        labelledAddresses: [
          {},
          { address: "0x25eF87aE077E77411610582A6602B1a451e72C02", labels: [{ text: "Load test" }] },
          {
            labels: [{ text: "Token of the examples" }],
            contract: { address: "0xCE4e1E5f3f0EAd12Dd4707754d9bCf57825Fd6b0" },
          },
          { address: "0xbee4880DBc658fd44fe9b1259Df67A921e1A223F", labels: [{ text: WALLET, author: "alice" }] },
        ],
      },
    });
    const { data } = await send(url, transactions);
    expect(data).toMatchObject({
      address: {
        label: WALLET,
        transactions: { nodes: [{ recipient: { evmAddress: { label: WALLET } } }, {}, {}] },
        erc20Transfers: {
          nodes: [
            {
              erc20Token: { symbol: "GLD", evmAddress: { label: "Token of the examples" } },
              from: { evmAddress: { label: null } },
              to: { evmAddress: { label: WALLET } },
            },
            {},
            {},
          ],
        },
      },
    });
    expect(await send(url, blocks)).toMatchObject({
      data: {
        blockAdded: {
          blockNumber: "170",
          minerEvmAddress: { label: expect.stringMatching(/^\d+$/) },
          transactions: { nodes: [{ from: { evmAddress: { label: "Load test" } } }, {}, {}] },
        },
      },
    });

    const { data: introspected } = await ask(url, getIntrospectionQuery());
    const schema = buildClientSchema(introspected as unknown as IntrospectionQuery);
    const code = await typedDocuments(
      schema,
      requests.map((request) => /@examples\/(\S+)$/.exec(request)?.[1] ?? ""),
    );
    expect(code).toMatch(
      /AddLabelMutation = \{ addLabel: \{ text: string, author: string, createdAt: number, evmAddress: \{ label: string \| null/,
    );

    await subgraph[Symbol.asyncDispose]();
    expect(await ask(url, documentOf(transactions))).toMatchObject({
      data: {
        address: { label: null, transactions: { nodes: [{ recipient: { evmAddress: { label: null } } }, {}, {}] } },
      },
      errors: expect.arrayContaining([expect.objectContaining({ extensions: { code: "UNAVAILABLE" } })]),
    });
  }, 180_000);
});
