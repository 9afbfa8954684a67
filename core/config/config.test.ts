import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../errors/errors.ts";
import { loadConfig } from "./config.ts";
import { SETTING_NAMES } from "./setting-names.ts";
import { goDurationMs } from "./settings/go-duration.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileWith(content: string): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, content);
  return path;
}

const chain = { chainId: 43113, network: "testnet", nodeUrl: "http://127.0.0.1:9650/ext/bc/C/rpc", chainName: "C" };

const network = { network: "testnet", nodeUrl: "http://127.0.0.1:9650" };

describe("the configuration", () => {
  it("is valid without any setting", () => {
    expect(loadConfig({})).toMatchObject({ port: 4000, dataDirectory: ".moraine", demo: "auto", evmChains: [] });
  });

  it("may begin with a byte order mark", () => {
    expect(loadConfig({ MORAINE_CONFIG: fileWith('\ufeff{ "port": 1 }') }).port).toBe(1);
  });

  it("is read from the file, and overridden by the environment", () => {
    const MORAINE_CONFIG = fileWith(JSON.stringify({ port: 1, logLevel: "warn", evmChains: [chain] }));
    const config = loadConfig({ MORAINE_CONFIG, PORT: "5000" });
    expect(config).toMatchObject({ port: 5000, logLevel: "warn" });
    expect(config.evmChains[0]).toMatchObject({
      network: "fuji",
      rpcUrl: "",
      networkToken: { symbol: "AVAX", decimals: 18 },
    });
  });

  it("takes a member of an object from the environment, and the others from the file", () => {
    const MORAINE_CONFIG = fileWith(JSON.stringify({ exports: { maxRows: 5, publicUrl: "http://of-the-file" } }));
    const EXPORTS_PUBLIC_URL = "https://files.example";
    const exports = { publicUrl: EXPORTS_PUBLIC_URL, linkLifetimeSeconds: 3_600 };
    expect(loadConfig({ EXPORTS_PUBLIC_URL }).exports).toMatchObject(exports);
    expect(loadConfig({ MORAINE_CONFIG, EXPORTS_PUBLIC_URL }).exports).toMatchObject({ ...exports, maxRows: 5 });
  });

  it("accepts blockchain ids as CB58 or hex and stores them as CB58", () => {
    const blockchainId = "0x7fc93d85c6d62c5b2ac0b519c87010ea5294012d1e407030d6acd0021cac10d5";
    const MORAINE_CONFIG = fileWith(JSON.stringify({ evmChains: [{ ...chain, blockchainId }] }));
    expect(loadConfig({ MORAINE_CONFIG }).evmChains[0]?.blockchainId).toBe(
      "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
    );
  });

  it("contains the ids and staking rewards of mainnet and Fuji", () => {
    const MORAINE_CONFIG = fileWith(JSON.stringify({ primaryNetworks: [network, { ...network, network: "mainnet" }] }));
    const rewards = { minConsumptionRate: 100_000, maxConsumptionRate: 120_000, supplyCap: 720_000_000_000_000_000n };
    expect(loadConfig({ MORAINE_CONFIG }).primaryNetworks).toMatchObject([
      { network: "fuji", networkId: 5, index: "auto", cChainProposers: true, rewards },
      { network: "mainnet", networkId: 1, index: "auto", cChainProposers: true, rewards },
    ]);
  });

  it("takes every setting from a variable and from a flag, which overrides the variable", () => {
    const env = {
      MORAINE_INDEXING_MAX_CONCURRENCY: "3",
      MORAINE_SUBSCRIPTIONS_IDLE_SECONDS: "70",
      MORAINE_EXPORTS_S3_BUCKET: "files",
      MORAINE_EXPORTS_IS_ON: "false",
      MORAINE_KEY_HEADERS: '["x-key"]',
      MORAINE_EVM_CHAINS: JSON.stringify([chain]),
      MORAINE_TRUST_PROXY: "forwarded",
    };
    expect(loadConfig(env, ["--subscriptions.idle-seconds=80", "--port", "5000"])).toMatchObject({
      indexing: { maxConcurrency: 3 },
      subscriptions: { idleSeconds: 80 },
      exports: { s3: { bucket: "files" }, isOn: false },
      keyHeaders: ["x-key"],
      evmChains: [{ chainId: chain.chainId }],
      trustProxy: "forwarded",
      port: 5000,
    });
  });

  it("ignores variables that are no setting, such as those which Kubernetes sets for a service called moraine", () => {
    expect(loadConfig({ MORAINE_PORT: "tcp://10.0.0.1:4000", MORAINE_SERVICE_HOST: "10.0.0.1" }).port).toBe(4000);
  });

  it("gives each setting a variable and a flag of its own", () => {
    for (const member of ["path", "variable", "flag"] as const) {
      const names = SETTING_NAMES.map((setting) => setting[member]);
      expect(new Set(names).size).toBe(names.length);
    }
    expect(
      SETTING_NAMES.find(({ path }) => path === "nodeInterface.requiredAvailableDiskSpacePercentage"),
    ).toMatchObject({
      variable: "MORAINE_NODE_INTERFACE_REQUIRED_AVAILABLE_DISK_SPACE_PERCENTAGE",
      flag: "--node-interface.required-available-disk-space-percentage",
    });
  });

  it.each([
    [["--health-check-frequency=2s"], "2s"],
    [["--health-check-frequency", "1m30.5s"], "1m30.5s"],
    [[], "10s"],
  ])("accepts the flags %j, which override the file", (flags, healthCheckFrequency) => {
    const MORAINE_CONFIG = fileWith(JSON.stringify({ nodeInterface: { public: true, healthCheckFrequency: "10s" } }));
    expect(loadConfig({ MORAINE_CONFIG }, flags).nodeInterface).toMatchObject({ public: true, healthCheckFrequency });
  });

  it.each([
    [["--health-check-frequency=soon"], 'setting nodeInterface.healthCheckFrequency is "soon": must be a duration'],
    [["--health-check-frequency="], 'setting nodeInterface.healthCheckFrequency is "": must be a duration'],
    [["--health-check-frequency=0s"], "must be a duration of at least 100ms and at most 596h, such as 2s or 1m30s"],
    [["--health-check-frequency=597h"], "must be a duration of at least 100ms and at most 596h"],
    [
      ["--database-pool-size=2"],
      "setting databasePoolSize is 2: must be greater than admission.heavyOperations, which is 3",
    ],
    [["--health-check-frequency"], "flag --health-check-frequency has no value"],
    [["--htttp-host=a"], "flag --htttp-host does not exist; docs/configuration.md lists the flags"],
    [["postgresql://user:word@host/a=b"], "an argument is no flag; docs/configuration.md lists the flags"],
  ])("refuses the flags %j", (flags, message) => {
    expect(() => loadConfig({}, flags)).toThrow(message);
  });

  it.each([
    ["30s", 30_000],
    ["1h2m3s4ms", 3_723_004],
    [".5s", 500],
    ["+2s", 2_000],
    ["+", null],
    ["++2s", null],
    ["1500us", 1.5],
    ["2\u00b5s", 0.002],
    ["30", null],
    ["1s 2s", null],
    ["-1s", null],
    ["", null],
  ])("parses the duration %p as a node does", (text, ms) => {
    expect(goDurationMs(text)).toBe(ms);
  });

  it.each([
    [
      { MORAINE_CONFIG: fileWith(JSON.stringify({ primaryNetworks: [network, { ...network, networkId: 1 }] })) },
      "setting primaryNetworks must not contain a network twice",
    ],
    [
      { MORAINE_CONFIG: fileWith(JSON.stringify({ primaryNetworks: [{ ...network, networkId: 7 }] })) },
      "setting primaryNetworks.0.genesisFile is missing: must be set for a network other than mainnet (1) and Fuji (5)",
    ],
    [
      {
        MORAINE_CONFIG: fileWith(JSON.stringify({ primaryNetworks: [{ ...network, rewards: { supplyCap: "1e9" } }] })),
      },
      'setting primaryNetworks.0.rewards.supplyCap is "1e9": must be a whole number above 0, in quotes',
    ],
    [
      { MORAINE_CONFIG: fileWith(JSON.stringify({ exports: { s3: { bucket: "b", accessKeyId: "id" } } })) },
      "setting exports.s3.secretAccessKey is missing: must be set if accessKeyId is set",
    ],
    [
      { MORAINE_CONFIG: fileWith(JSON.stringify({ exports: { s3: { bucket: "b", secretAccessKey: "secret" } } })) },
      "setting exports.s3.accessKeyId is missing: must be set if secretAccessKey is set",
    ],
    [{ PORT: "99999" }, "setting port (environment variable PORT) is 99999: "],
    [{ PORT: "http" }, 'setting port (environment variable PORT) is "http": '],
    [
      { DATABASE_URL: "mysql://x" },
      "setting databaseUrl (environment variable DATABASE_URL) must be a URL that begins with postgresql://",
    ],
    [
      { EXPORTS_PUBLIC_URL: "files.example" },
      "setting exports.publicUrl (environment variable EXPORTS_PUBLIC_URL) must be a URL",
    ],
    [
      { EXPORTS_PUBLIC_URL: "http://a", MORAINE_CONFIG: fileWith('{"exports":5}') },
      "setting exports must be an object",
    ],
    [
      { MORAINE_ADMISSION_HEAVY_OPERATIONS: "20" },
      "setting admission.heavyOperations (environment variable MORAINE_ADMISSION_HEAVY_OPERATIONS) is 20: must be less than databasePoolSize, which is 20",
    ],
    [
      { DATABASE_POOL_SIZE: "3" },
      "setting databasePoolSize (environment variable DATABASE_POOL_SIZE) is 3: must be greater than admission.heavyOperations, which is 3",
    ],
    [
      { MORAINE_CONFIG: fileWith('{"databasePoolSize":4,"admission":{"heavyOperations":5}}') },
      "setting databasePoolSize is 4: must be greater than admission.heavyOperations, which is 5",
    ],
    [
      { PORT: "4001", METRICS_PORT: "4001" },
      "setting metricsPort (environment variable METRICS_PORT) is 4001: must differ from port",
    ],
    [
      { OBSERVABILITY_PORT: "4000" },
      "setting observability.port (environment variable OBSERVABILITY_PORT) is 4000: must differ from port and metricsPort",
    ],
    [{ MORAINE_DEMO: "maybe" }, 'setting demo (environment variable MORAINE_DEMO) is "maybe": '],
    [
      { MORAINE_CONFIG: "/nowhere.json" },
      'environment variable MORAINE_CONFIG is "/nowhere.json": must be a readable JSON file',
    ],
    [{ MORAINE_CONFIG: fileWith("[]") }, "the file must contain a JSON object"],
    [
      { MORAINE_CONFIG: fileWith('{"evmChains":[{"chainId":1}]}') },
      'setting evmChains.0.network is missing: must be one of "mainnet", "fuji", "testnet"',
    ],
    [
      { MORAINE_CONFIG: fileWith(JSON.stringify({ evmChains: [chain, chain] })) },
      "setting evmChains must not contain a chainId twice",
    ],
    [{ MORAINE_CONFIG: fileWith('{"prot":1}') }, 'setting prot does not exist (did you mean "port"?)'],
    [
      { MORAINE_CONFIG: fileWith(JSON.stringify({ evmChains: [{ ...chain, blockchainId: "zz" }] })) },
      'setting evmChains.0.blockchainId is "zz": must be a 32-byte id',
    ],
  ])("refuses %j with a message that names setting, value and rule", (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });

  it("reports all errors of file, environment and flags at once", () => {
    const MORAINE_CONFIG = fileWith(
      JSON.stringify({
        evmChains: [{ ...chain, chainId: 0, chainNmae: "C" }],
        nodeInterface: { pulic: true },
        primaryNetworks: [{ ...network, networkId: 7, index: "atuo" }],
      }),
    );
    expect(errorsOf({ MORAINE_CONFIG, PORT: "x", MORAINE_DEMO: "ful" }, ["--halth-check-frequency=1s"])).toEqual([
      'flag --halth-check-frequency does not exist (did you mean "--health-check-frequency"?); docs/configuration.md lists the flags',
      'setting port (environment variable PORT) is "x": must be a number',
      'setting demo (environment variable MORAINE_DEMO) is "ful": must be one of "auto", "live", "full", "off" (did you mean "full"?)',
      'setting nodeInterface.pulic does not exist (did you mean "public"?); docs/configuration.md lists all settings',
      "setting evmChains.0.chainId is 0: must be at least 1",
      'setting evmChains.0.chainNmae does not exist (did you mean "chainName"?); docs/configuration.md lists all settings',
      'setting primaryNetworks.0.index is "atuo": must be one of "auto", "on", "off" (did you mean "auto"?)',
      "setting primaryNetworks.0.genesisFile is missing: must be set for a network other than mainnet (1) and Fuji (5)",
    ]);
  });

  it.each(["http://127.0.0.1:9650/ext/bc/P", "http://127.0.0.1:9650/ext"])(
    "refuses %s as a node's base URL",
    (nodeUrl) => {
      const settings = { primaryNetworks: [{ ...network, nodeUrl }], nodeInterface: { nodeUrl } };
      expect(errorsOf({ MORAINE_CONFIG: fileWith(JSON.stringify(settings)) })).toEqual(
        ["nodeInterface.nodeUrl", "primaryNetworks.0.nodeUrl"].map(
          (setting) =>
            `setting ${setting} must be the node's base URL without the path of an API, such as http://127.0.0.1:9650`,
        ),
      );
    },
  );

  const SECRET = "s3cret";
  const { nodeUrl: _, ...several } = { ...chain, nodeUrls: ["http://a"] as unknown };
  const NO_NODE =
    "setting evmChains.0.nodeUrls.0 must be the JSON-RPC URL of an EVM chain, or an object with url and, if needed, headers and name";
  const atLeast8 = "setting apiKeys.0.key must have at least 8 characters";

  it.each<[settings: object, error: string]>([
    [{ apiKeys: [{ key: SECRET }] }, atLeast8],
    [{ apiKeys: [{ key: 5_308_417 }] }, "setting apiKeys.0.key must be a text"],
    [{ apiKeys: [SECRET] }, "setting apiKeys.0 must be an object"],
    [{ apiKeys: SECRET }, "setting apiKeys must be a list"],
    [
      { databaseUrl: `user:${SECRET}@host` },
      "setting databaseUrl must be a URL that begins with postgresql://, such as postgresql://user:password@host:5432/moraine",
    ],
    [{ gatewayUrl: `htp://a?key=${SECRET}` }, "setting gatewayUrl must be a URL that begins with http:// or https://"],
    [
      { nodeInterface: { nodeUrl: `https://${SECRET}/ext/info` } },
      "setting nodeInterface.nodeUrl must be the node's base URL without the path of an API, such as http://127.0.0.1:9650",
    ],
    [
      { nodeInterface: { nodeHeaders: { "x-key": 5_308_417 } } },
      "setting nodeInterface.nodeHeaders.x-key must be a text",
    ],
    [{ nodeInterface: { nodeHeaders: SECRET } }, "setting nodeInterface.nodeHeaders must be an object"],
    [{ evmChains: [{ ...chain, nodeHeaders: [SECRET] }] }, "setting evmChains.0.nodeHeaders must be an object"],
    [
      { evmChains: [{ ...chain, nodeUrls: [`http://${SECRET}`] }] },
      "setting evmChains.0.nodeUrls must not be set together with nodeUrl: name all nodes in nodeUrls",
    ],
    [
      { evmChains: [{ ...several, nodeHeaders: { key: SECRET } }] },
      "setting evmChains.0.nodeHeaders must not be set together with nodeUrls: set headers of each entry of nodeUrls",
    ],
    [{ evmChains: [{ ...several, nodeUrls: SECRET }] }, "setting evmChains.0.nodeUrls must be a list"],
    [{ evmChains: [{ ...several, nodeUrls: [] }] }, "setting evmChains.0.nodeUrls must not be empty"],
    [{ evmChains: [{ ...several, nodeUrls: [SECRET] }] }, NO_NODE],
    [
      { evmChains: [{ ...several, nodeUrls: [{ url: `htp://${SECRET}` }] }] },
      "setting evmChains.0.nodeUrls.0.url must be a URL that begins with http:// or https://",
    ],
    [{ evmChains: [{ ...several, nodeUrls: [{ url: "http://a", headers: SECRET }] }] }, NO_NODE],
    [
      { evmChains: [{ ...several, nodeUrls: [{ url: "http://a", key: SECRET }] }] },
      "setting evmChains.0.nodeUrls.0.key does not exist; docs/configuration.md lists all settings",
    ],
    [
      { evmChains: [{ ...several, nodeUrls: [`http://${SECRET}`, { url: `http://${SECRET}` }] }] },
      "setting evmChains.0.nodeUrls must not contain a URL twice",
    ],
    [
      { evmChains: [{ ...several, nodeUrls: ["http://a", { url: "http://b", name: "node 1" }] }] },
      "setting evmChains.0.nodeUrls must not contain a name twice",
    ],
    [
      { primaryNetworks: [{ ...network, nodeUrls: [`http://${SECRET}`] }] },
      "setting primaryNetworks.0.nodeUrls must not be set together with nodeUrl: name all nodes in nodeUrls",
    ],
    [
      { primaryNetworks: [{ network: "fuji", nodeUrls: [`http://${SECRET}/ext/info`] }] },
      "setting primaryNetworks.0.nodeUrls.0 must be the base URL of a node, or an object with url and, if needed, headers and name",
    ],
    [
      { primaryNetworks: [{ network: "fuji" }] },
      "setting primaryNetworks.0.nodeUrl is missing: must be a URL that begins with http:// or https://",
    ],
    [{ prices: { headers: { key: true } } }, "setting prices.headers.key must be a text"],
    [
      { observability: { tracesHeaders: { authorization: 5_308_417 } } },
      "setting observability.tracesHeaders.authorization must be a text",
    ],
    [
      { exports: { s3: { bucket: "b", accessKeyId: 5_308_417, secretAccessKey: SECRET } } },
      "setting exports.s3.accessKeyId must be a text",
    ],
    [
      { exports: { s3: { bucket: "b", accessKeyId: "a", secretAccessKey: 5_308_417 } } },
      "setting exports.s3.secretAccessKey must be a text",
    ],
  ])("does not print a secret: %j", (settings, error) => {
    expect(errorsOf({ MORAINE_CONFIG: fileWith(JSON.stringify(settings)) })).toEqual([error]);
  });

  it.each([
    [
      `{\n"apiKeys": [{ "key": ${SECRET} }] }`,
      "line 2, column 22: this is not JSON: write a name or a text in double quotes",
    ],
    [
      `{\n\n"databaseUrl": "postgresql://user:${SECRET}@host\n" }`,
      "line 3, column 16: the closing quote of this text is missing",
    ],
    [`{ "apiKeys":\n[{ "key": "${SECRET}" "networks": [] }] }`, "line 2, column 20: a comma is missing before this"],
    [`{ "apiKeys": [{ "key": "${SECRET}"`, "line 1, column 15: this { is never closed: the file ends before that"],
    [`{ "apiKeys": [], "${SECRET}": 1, "${SECRET}": 2 }`, "line 1, column 31: line 1, column 18 has the same property"],
    [SECRET, "line 1, column 1: this is not JSON"],
    ["", "line 1, column 1: the file has no value"],
  ])("names line, column and mistake of a file that is not JSON, and no part of it: %j", (text, mistake) => {
    const MORAINE_CONFIG = fileWith(text);
    const [error = "", ...others] = errorsOf({ MORAINE_CONFIG });
    expect(error).toContain(
      `environment variable MORAINE_CONFIG is "${MORAINE_CONFIG}": must be a readable JSON file: ${mistake}`,
    );
    expect([others, error.includes(SECRET)]).toEqual([[], false]);
  });
});

function errorsOf(env: NodeJS.ProcessEnv, flags: readonly string[] = []): string[] {
  try {
    loadConfig(env, flags);
    return [];
  } catch (error) {
    return messageOf(error).split("\n");
  }
}
