import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pino from "pino";
import { configSchema } from "../core/config/config-schema.ts";
import { messageOf } from "../core/errors/errors.ts";
import { demoConfig, demoNetwork } from "../recordings/demo.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../recordings/replay-node.ts";
import { checkSettings } from "./check-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-settings-"));
let node: ReplayNode;
beforeAll(async () => {
  node = await startReplayNode({ heads: "full" });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Changes {
  readonly chain?: object;
  readonly network?: object;
  readonly nodeUrl?: string;
}

/** Checks the demo's settings with some of them changed. Returns the lines of the error and of the log. */
async function check({ chain, network, nodeUrl = node.url }: Changes) {
  const { manifest } = node.recording;
  const [first, ...others] = demoConfig(manifest, nodeUrl);
  const config = configSchema.parse({
    evmChains: [{ ...first, ...chain }, ...others],
    primaryNetworks: [{ ...demoNetwork(manifest, ALPHA, nodeUrl), ...network }],
  });
  const logged: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => logged.push(JSON.parse(line).msg) });
  const errors = await checkSettings(config, logger).then(
    () => [],
    (error: unknown) => messageOf(error).split("\n"),
  );
  return { errors, logged: logged.sort() };
}

describe("the settings of chains and networks are compared with their nodes", () => {
  it("settings that agree with the nodes pass", async () => {
    expect(await check({})).toEqual({ errors: [], logged: [] });
  });

  it("each node of nodeUrls is checked, and the line names its entry", async () => {
    const [chain, other] = demoConfig(node.recording.manifest, node.url);
    const nodeUrls = [chain?.["nodeUrl"], other?.["nodeUrl"], { url: "http://127.0.0.1:1" }];
    const { errors, logged } = await check({ chain: { nodeUrl: undefined, nodeUrls } });
    expect(errors).toEqual([
      expect.stringMatching(/^setting evmChains\.0\.blockchainId is .*, or correct nodeUrls\.1$/),
      expect.stringMatching(
        /^setting evmChains\.0\.chainId is 760011: .* serves chain \d+; set .*, or correct nodeUrls\.1$/,
      ),
    ]);
    expect(logged).toEqual([
      expect.stringMatching(/^setting evmChains\.0\.nodeUrls\.2: 127\.0\.0\.1:1 did not answer eth_chainId/),
    ]);
  });

  it("each node of a network is checked, and the line names its entry", async () => {
    const nodeUrls = [node.url, { url: "http://127.0.0.1:1" }, { url: `${node.url}/`, name: "again" }];
    const { errors, logged } = await check({ network: { nodeUrl: undefined, nodeUrls, networkId: 76 } });
    expect(errors.filter((line) => line.includes("primaryNetworks.0.networkId"))).toEqual([
      expect.stringMatching(/belongs to network 76001; set networkId to 76001, or correct nodeUrls\.0$/),
      expect.stringMatching(/belongs to network 76001; set networkId to 76001, or correct nodeUrls\.2$/),
    ]);
    expect(logged).toEqual([
      expect.stringMatching(
        /^setting primaryNetworks\.0\.nodeUrls\.1: 127\.0\.0\.1:1 did not answer info\.getNetworkID/,
      ),
    ]);
  });

  it("every id that the node contradicts is reported, with its setting and the node's value", async () => {
    const host = new URL(node.url).host;
    const { manifest } = node.recording;
    const [chain, other] = demoConfig(manifest, node.url);
    const { errors } = await check({
      chain: { chainId: 43113, blockchainId: other?.["blockchainId"] },
      network: { networkId: 76 },
    });
    expect(errors).toEqual([
      `setting evmChains.0.blockchainId is "${other?.["blockchainId"]}": the chain C of the node at ${host} is ${chain?.["blockchainId"]}; set blockchainId to ${chain?.["blockchainId"]}, or correct nodeUrl`,
      `setting evmChains.0.chainId is 43113: the node at ${host} serves chain 760011; set chainId to 760011, or correct nodeUrl`,
      expect.stringMatching(/^setting primaryNetworks\.0\.genesisFile is .*: it is the genesis of network 76001, but/),
      `setting primaryNetworks.0.networkId is 76: the node at ${host} belongs to network 76001; set networkId to 76001, or correct nodeUrl`,
    ]);
  });

  it("a missing networkId is reported with the default that took its place", async () => {
    const { errors } = await check({ network: { networkId: undefined, genesisFile: undefined } });
    expect(errors).toEqual([
      expect.stringMatching(
        /^setting primaryNetworks\.0\.networkId is 5 \(the default of fuji\): .* set networkId to 76001/,
      ),
    ]);
  });

  it("a genesis file is reported if it is missing, or not that of the node", async () => {
    const genesisFile = join(folder, "genesis.json");
    expect((await check({ network: { genesisFile } })).errors).toEqual([
      `setting primaryNetworks.0.genesisFile is "${genesisFile}": ENOENT: no such file or directory, open '${genesisFile}'`,
    ]);
    const own = gunzipSync(readFileSync(join(ALPHA, "genesis.json.gz"))).toString();
    writeFileSync(genesisFile, JSON.stringify({ ...JSON.parse(own), message: "another network with the same id" }));
    expect((await check({ network: { genesisFile } })).errors).toEqual([
      expect.stringMatching(
        /^setting primaryNetworks\.0\.genesisFile is .*: the id of this genesis is .* set genesisFile to the genesis file that the node uses$/,
      ),
    ]);
  });

  it("an upgrade file is reported if it has no time of an upgrade", async () => {
    const upgradesFile = join(folder, "upgrades.json");
    writeFileSync(upgradesFile, "{}");
    expect((await check({ network: { upgradesFile } })).errors).toEqual([
      expect.stringMatching(/^setting primaryNetworks\.0\.upgradesFile is .*upgrades\.json": .*no member is the time/),
    ]);
  });

  it("a URL of another API of the node is reported", async () => {
    const { errors } = await check({ chain: { nodeUrl: `${node.url}/ext/info` } });
    expect(errors).toEqual([
      expect.stringMatching(
        /^setting evmChains\.0\.nodeUrl is wrong: .* does not know eth_chainId at that path: the URL of an EVM chain ends in/,
      ),
    ]);
  });

  it.each([
    ["a chain", { chain: { nodeUrl: "" } }, "evmChains"],
    ["a primary network", { network: { nodeUrl: "/avalanche" } }, "primaryNetworks"],
  ])(
    "a URL of %s at which the node serves nothing is reported with what it must be",
    async (_what, changes, setting) => {
      const atNode = ({ nodeUrl }: { readonly nodeUrl: string }) => ({ nodeUrl: `${node.url}${nodeUrl}` });
      const { logged } = await check(
        "chain" in changes ? { chain: atNode(changes.chain) } : { network: atNode(changes.network) },
      );
      expect(logged.filter((line) => line.startsWith(`setting ${setting}.0.nodeUrl: `))).toEqual([
        expect.stringMatching(/HTTP 404 without a JSON-RPC answer: the URL of an EVM chain ends in .* before \/ext, /),
      ]);
    },
  );

  it("a node that cannot be reached does not fail the check: each unchecked setting is logged", async () => {
    const { errors, logged } = await check({ nodeUrl: "http://127.0.0.1:1" });
    expect(errors).toEqual([]);
    expect(logged).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^setting evmChains\.0\.nodeUrl: 127\.0\.0\.1:1 did not answer eth_chainId/),
        expect.stringMatching(/^setting primaryNetworks\.0\.nodeUrl: 127\.0\.0\.1:1 did not answer info\.getNetworkID/),
      ]),
    );
  });
});
