import { PATH_HINT } from "../../../core/networks/http-hints.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { recordedCalls } from "../../../test/support/node-http/node-http.ts";
import { createUpstream } from "../upstream/upstream.ts";
import type { Info } from "./info.ts";
import { createNodeInfo } from "./node-info.ts";

const NETWORK_ID = 12_345;

const recorded = recordedCalls();

interface RecordedAnswer {
  readonly status: number;
  readonly body: string;
}

/** The first recorded answer of a node to each method. */
function answersIn(name: string): Map<string, RecordedAnswer> {
  const answers = new Map<string, RecordedAnswer>();
  for (const { path, requestBody, response } of recorded.get(name) ?? []) {
    if (path !== "/ext/info" || requestBody === null || response === null) continue;
    const { method } = JSON.parse(requestBody) as { readonly method: string };
    if (!answers.has(method)) answers.set(method, { status: response.status, body: response.body.toString() });
  }
  return answers;
}

const ASKED: Readonly<Record<string, (info: Info) => Promise<unknown>>> = {
  "info.acps": (info) => info.acps(),
  "info.isBootstrapped": (info) => info.isBootstrapped("X", SERVICE_WORK),
  "info.getBlockchainID": (info) => info.blockchainId("X", SERVICE_WORK),
  "info.getNetworkName": (info) => info.networkName(),
  "info.getNodeID": (info) => info.identity(),
  "info.getNodeIP": (info) => info.ip(),
  "info.getNodeVersion": (info) => info.version(),
  "info.getTxFee": (info) => info.txFees(),
  "info.getVMs": (info) => info.vms(),
  "info.peers": (info) => info.peers([]),
  "info.uptime": (info) => info.uptime(),
  "info.upgrades": (info) => info.upgrades(SERVICE_WORK),
};

const answering = [...recorded.keys()].filter((name) => /usual$/.test(name) && !/switched-off|shutdown/.test(name));

describe("answers of nodes in every state", () => {
  it.each(answering)("are parsed, and refusals have the node's message: %s", async (name) => {
    const answers = answersIn(name);
    expect([...answers.keys()]).toEqual(expect.arrayContaining(Object.keys(ASKED)));
    await using node = await startScriptedNode(([call]) => answers.get(call?.method ?? "") ?? { status: 500 });
    const nodeOf = { nodeUrl: node.url, nodeHeaders: {}, networkId: NETWORK_ID, requestTimeoutMs: 5_000 };
    await using upstream = createUpstream({ ...nodeOf, logger: createLogger("silent") });
    const info = createNodeInfo(upstream);
    for (const [method, ask] of Object.entries(ASKED)) {
      const { error } = JSON.parse(answers.get(method)?.body ?? "null") as {
        readonly error?: { readonly message: string };
      };
      if (error) await expect(ask(info)).rejects.toMatchObject({ code: "NODE_REFUSED", message: error.message });
      else expect(await ask(info)).toBeDefined();
    }
  });

  it("fail if the node's Info API is off", async () => {
    const answers = answersIn("switched-off-usual");
    await using node = await startScriptedNode(([call]) => answers.get(call?.method ?? "") ?? { status: 500 });
    const nodeOf = { nodeUrl: node.url, nodeHeaders: {}, networkId: NETWORK_ID, requestTimeoutMs: 5_000 };
    await using upstream = createUpstream({ ...nodeOf, logger: createLogger("silent") });
    await expect(createNodeInfo(upstream).ip()).rejects.toMatchObject({
      code: "UPSTREAM_FAILED",
      message: `the node answered HTTP 404 to info.getNetworkID${PATH_HINT}`,
    });
  });

  it("contain a refusal of the uptime of a node that is not a validator", async () => {
    const body = answersIn("not-a-validator-usual").get("info.uptime")?.body ?? "";
    expect(JSON.parse(body)).toMatchObject({ error: { message: "couldn't get node uptime: node is not a validator" } });
  });
});
