import { graphql } from "graphql";
import { UNSCHEDULED } from "../../../../core/networks/upgrades.ts";
import { createLogger } from "../../../../core/observability/logger.ts";
import { createWork } from "../../../../core/work/work.ts";
import { createSubgraph as createPrimaryNetworkSubgraph } from "../../../../subgraphs/primary-network/subgraph.ts";
import { createPBlocks } from "../../../../test/support/built/blocks.ts";
import { transactionsOf } from "../../../../test/support/built/transactions.ts";
import { testConfig } from "../../../../test/support/config.ts";
import { servedNetworks } from "../../../../test/support/indexed/alpha-network.ts";
import { openBuiltNetwork } from "../../../../test/support/indexed/built-network.ts";
import { readPrimaryRecording } from "../../../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../../../test/support/recorded/primary-vectors.ts";
import { ZERO_ID } from "../../network/chains.ts";
import { evmChainIdOf } from "./evm-chain-id.ts";

const folder = recordingFolder("alpha");
const { network: recorded } = readPrimaryRecording(folder);
const network = {
  ...recorded,
  upgrades: Object.fromEntries(
    Object.keys(recorded.upgrades).map((name) => [name, UNSCHEDULED]),
  ) as unknown as typeof recorded.upgrades,
};
const P = transactionsOf("P", network.networkId, ZERO_ID);

describe("the EVM chain id of a genesis", () => {
  it.each<readonly [string, bigint | null]>([
    ['{"config":{"chainId":43114}}', 43_114n],
    [' \t\r\n{"config":{"chainId":43114}}', 43_114n],
    ['{"config":{"chainID":43114}}', 43_114n],
    ['{"CONFIG":{"ChainId":1,"chainid":2}}', 2n],
    ['{"config":{"chainId":9007199254740993}}', 9_007_199_254_740_993n],
    [`{"config":{"chainId":${2n ** 256n - 1n}}}`, 2n ** 256n - 1n],
    [`{"config":{"chainId":${"9".repeat(78)}}}`, BigInt("9".repeat(78))],
    ['{"config":{"chainId":0}}', 0n],
    [`{"config":{"note":"\\"chainId\\":9007199254740995, 12345678901234567890","chainId":5}}`, 5n],
    ['{"config":{"chainId":-9007199254740993}}', null],
    ['{"config":{"chainId":1.5}}', null],
    ['{"config":{"chainId":"43114"}}', null],
    ['{"config":{"chainId":"integer\\u000143114431144311443114"}}', null],
    ['{"config":null}', null],
    ["{}", null],
    ["[]", null],
    ["", null],
    [" ", null],
    ["\u0000\u00ff{", null],
    ["{ not JSON", null],
  ])("is config.chainId of its JSON: %s", (genesis, expected) => {
    expect(evmChainIdOf(Buffer.from(genesis))).toBe(expected);
  });
});

/** Names of chains, as bytes, and as they are served. */
const NAMES: readonly (readonly [Buffer, string])[] = [
  [Buffer.from(""), ""],
  [Buffer.from("x".repeat(65_535)), "x".repeat(65_535)],
  [Buffer.from("a\u0000b"), "a\ufffdb"],
  [Buffer.from("ünïcode 链"), "ünïcode 链"],
];
const GENESIS: readonly (readonly [Buffer, string | null, object])[] = [
  [Buffer.from([0, 255, 1, 254]), null, { encoding: "hex", data: "0x00ff01fe" }],
  [Buffer.from(""), null, { encoding: "hex", data: "0x" }],
  [
    Buffer.from('\n {"config":{"chainID":9007199254740993}}'),
    "9007199254740993",
    { config: { chainId: "9007199254740993" } },
  ],
  [Buffer.from('{"config":{"chainId":7}}'), "7", { config: { chainId: 7 } }],
];

describe("blockchains and managers of L1s", () => {
  it.each([0, 1, 20, 32, 4_096])("are served exactly, with a manager address of %s bytes", async (length) => {
    await using built = await openBuiltNetwork(network);
    const address = Buffer.alloc(length, 0xab);
    const blocks = createPBlocks();
    const subnet = P.createSubnet("a1".repeat(20));
    const chains = NAMES.flatMap(([name]) => GENESIS.map(([genesis]) => P.createChain(subnet.id, name, genesis)));
    blocks.add(subnet);
    blocks.add(...chains);
    blocks.add(P.convertSubnet(subnet.id, "c0".repeat(32), address));
    await built.accept("P", blocks.entries);

    const { schema, context } = await createPrimaryNetworkSubgraph({
      config: { ...testConfig(), primaryNetworks: servedNetworks(folder) },
      database: built.database,
      logger: createLogger("fatal"),
      nowSeconds: () => 0,
    });
    const { data, errors } = await graphql({
      schema,
      contextValue: context({ work: createWork(), requestId: "test" }),
      source: `{ subnets(network: FUJI) { subnets: nodes {
        l1ValidatorManagerDetails { contractAddress } blockchains { blockchainName evmChainId genesisData } } } }`,
    });
    expect(errors).toBeUndefined();
    const { subnets } = JSON.parse(JSON.stringify(data)).subnets;
    const [served] = subnets.filter((one: { blockchains: object[] }) => one.blockchains.length === chains.length);
    expect(served.l1ValidatorManagerDetails).toEqual({ contractAddress: `0x${address.toString("hex")}` });
    expect(served.blockchains).toEqual(
      NAMES.flatMap(([, blockchainName]) =>
        GENESIS.map(([, evmChainId, genesisData]) => ({ blockchainName, evmChainId, genesisData })),
      ),
    );
  });
});
