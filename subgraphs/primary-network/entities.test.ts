import { readManifest } from "../../recordings/manifest.ts";
import { testConfig } from "../../test/support/config.ts";
import { statementsOf } from "../../test/support/database/statements.ts";
import { type OpenedPrimary, openPrimary } from "../../test/support/indexed/primary-snapshots.ts";
import { nodeBlocks, nodeVertices } from "../../test/support/recorded/node-blocks.ts";
import { recordingFolder } from "../../test/support/recorded/primary-vectors.ts";

const folder = recordingFolder("delta");
const { chains } = readManifest(folder);
const cChain = chains.find(({ alias }) => alias === "C");
const chain = { network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "C" };
const { evmChains } = testConfig({
  evmChains: [
    { ...chain, chainId: 7, blockchainId: cChain?.blockchainId },
    { ...chain, chainId: 8 },
  ],
});
const P_CHAIN = "11111111111111111111111111111111LpoYY";

let opened: OpenedPrimary;
beforeAll(async () => {
  opened = await openPrimary(folder, { evmChains });
  // The network's row is read once.
  await opened.ask("{ primaryNetworks { network } }");
});
afterAll(() => opened[Symbol.asyncDispose]());

/** Resolves references; `fields` are fragments by type. */
async function entities(references: readonly object[], fields: string): Promise<unknown[]> {
  // GraphQL literals are JSON with unquoted member names.
  const literal = JSON.stringify(references).replace(/"(\w+)":/g, "$1:");
  return (await opened.ask<{ _entities: unknown[] }>(`{ _entities(representations: ${literal}) { ${fields} } }`))
    ._entities;
}

describe("references to blocks, vertices, subnets, blockchains and chains", () => {
  it("resolve blocks by number and by ID, with one statement per kind of key", async () => {
    const p = nodeBlocks(folder, "P");
    const x = nodeBlocks(folder, "X");
    const key = { __typename: "PrimaryNetworkBlock", network: "FUJI" };
    const references = [
      ...p.slice(0, 20).map(({ blockNumber }) => ({ ...key, chainName: "p-chain", blockNumber })),
      ...p.slice(0, 20).map(({ blockHash }) => ({ ...key, chainName: "p-chain", blockHash })),
      ...x.slice(0, 9).map(({ blockNumber }) => ({ ...key, chainName: "x-chain", blockNumber })),
      { ...key, chainName: "x-chain", blockNumber: "99999" },
      { ...key, network: "MAINNET", chainName: "x-chain", blockNumber: "1" },
    ];
    let found: unknown[] = [];
    const statements = await statementsOf(async () => {
      found = await entities(references, "... on PrimaryNetworkBlock { chainName blockNumber blockHash }");
    });
    const expected = (chainName: string, blocks: typeof p) =>
      blocks.map(({ blockNumber, blockHash }) => ({ chainName, blockNumber, blockHash }));
    const ofP = expected("p-chain", p.slice(0, 20));
    expect(found).toEqual([...ofP, ...ofP, ...expected("x-chain", x.slice(0, 9)), null, null]);
    expect(statements).toHaveLength(2);
  });

  it("resolve vertices, subnets and blockchains by ID, with one statement each", async () => {
    const vertices = nodeVertices(folder)
      .slice(0, 30)
      .map(({ vertexHash }) => ({ __typename: "XChainVertex", network: "TESTNET", vertexHash }));
    const { subnets } = await opened.ask<{
      subnets: { subnets: { subnetId: string; blockchains: { blockchainId: string }[] }[] };
    }>("{ subnets(network: FUJI) { subnets: nodes { subnetId blockchains { blockchainId } } } }");
    const ids = subnets.subnets.map(({ subnetId }) => ({ __typename: "Subnet", network: "FUJI", subnetId }));
    const blockchains = subnets.subnets
      .flatMap((subnet) => subnet.blockchains)
      .map(({ blockchainId }) => ({ __typename: "Blockchain", network: "FUJI", blockchainId }));
    const references = [...vertices, ...ids, ...blockchains];
    expect(references.length).toBeGreaterThan(40);
    const fields = `... on XChainVertex { __typename vertexHash } ... on Subnet { __typename subnetId }
      ... on Blockchain { __typename blockchainId }`;
    const statements = await statementsOf(async () => {
      const found = (await entities(references, fields)) as Readonly<Record<string, string>>[];
      expect(found).toEqual(references.map(({ network: _, ...key }) => key));
    });
    expect(statements).toHaveLength(3);
    const unknown = {
      network: "FUJI",
      vertexHash: P_CHAIN,
      subnetId: `0x${"ab".repeat(32)}`,
      blockchainId: "ab".repeat(32),
    };
    const names = ["XChainVertex", "Subnet", "Blockchain"].map((__typename) => ({ __typename, ...unknown }));
    expect(await entities(names, fields)).toEqual([null, null, null]);
  });

  it("link an EVM chain and its blockchain if the configuration names the blockchain ID", async () => {
    const fields = "... on Chain { chainId blockchain { blockchainName chain { chainId } } }";
    const references = ["7", "8", "9"].map((chainId) => ({ __typename: "Chain", chainId }));
    expect(await entities(references, fields)).toEqual([
      { chainId: "7", blockchain: { blockchainName: "C-Chain", chain: { chainId: "7" } } },
      { chainId: "8", blockchain: null },
      { chainId: "9", blockchain: null },
    ]);
  });

  it("link an EVM chain and a blockchain by the EVM chain ID of the genesis only if the configuration names no blockchain ID", async () => {
    const chainWithGenesisId = async (chainId: number | null) => {
      await opened.database.pool.query("UPDATE blockchains SET evm_chain_id = $1 WHERE name = 'Before Banff'", [
        chainId,
      ]);
      const { subnets } = await opened.ask<{
        subnets: { subnets: { blockchains: { blockchainName: string; chain: unknown }[] }[] };
      }>("{ subnets(network: FUJI) { subnets: nodes { blockchains { blockchainName chain { chainId } } } } }");
      const all = subnets.subnets.flatMap(({ blockchains }) => blockchains);
      return all.find(({ blockchainName }) => blockchainName === "Before Banff")?.chain;
    };
    expect([
      await chainWithGenesisId(8),
      await chainWithGenesisId(7),
      await chainWithGenesisId(9),
      await chainWithGenesisId(null),
    ]).toEqual([{ chainId: "8" }, null, null, null]);
  });
});
