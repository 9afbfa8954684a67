import { ALPHA } from "../../recordings/replay-node.ts";
import type { OracleTransaction } from "../support/oracle/primary-oracle.ts";
import { resultsIn } from "../support/recorded/primary-vectors.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { CHAIN_NAMES, networkRules, P_CHAIN } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";

const pathOf = (network = "fuji"): string => `/v1/networks/${network}/subnets`;
const PATH = pathOf();

interface Blockchain {
  readonly blockchainId: string;
  readonly subnetId: string;
  readonly [field: string]: unknown;
}

interface Subnet {
  readonly subnetId: string;
  readonly isL1: boolean;
  readonly subnetOwnershipInfo: Owner;
  readonly blockchains: readonly Blockchain[];
  readonly [field: string]: unknown;
}

interface Owner {
  readonly locktime: number;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

/** Transactions of a type in chain order. */
const transactionsOf = ({ primary }: Api, type: string): OracleTransaction[] =>
  primary.P.filter(({ txType }) => txType === type);

const expected = (api: Api): string[] =>
  [P_CHAIN, ...transactionsOf(api, "CreateSubnetTx").map(({ txHash }) => txHash)].reverse();

async function all(api: Api, query = ""): Promise<Subnet[]> {
  return (await api.body<{ subnets: Subnet[] }>(`${PATH}?pageSize=10000${query}`)).subnets;
}

const ownerOf = (owner: { locktime: string; threshold: string; addresses: readonly string[] }): Owner => ({
  locktime: Number(owner.locktime),
  threshold: Number(owner.threshold),
  addresses: owner.addresses.map((address) => address.slice("P-".length)),
});

const LIST: ListRoute = {
  id: "E7",
  path: PATH,
  items: "subnets",
  expected,
  sizes: { initial: 100, most: 10_000 },
  spellings: [pathOf("testnet"), `${PATH}?sortOrder=desc`],
  others: { sortOrder: `${PATH}?sortOrder=asc` },
  key: ({ subnetId }) => String(subnetId),
};

const CONTENT_RULES: readonly Rule[] = [
  rule("E7.1", "MUST", "lists every subnet once, with block and time of its creation", async (api) => {
    const subnets = (await all(api)).slice(0, -1);
    const created = transactionsOf(api, "CreateSubnetTx").toReversed();
    expect(created.length).toBeGreaterThan(5);
    expect(subnets).toMatchObject(
      created.map(({ txHash, blockNumber, blockTimestamp }) => ({
        subnetId: txHash,
        createBlockIndex: blockNumber,
        createBlockTimestamp: blockTimestamp,
      })),
    );
  }),
  rule(
    "E7.2",
    "CHOICE",
    "subnetOwnershipInfo is the current owner; the deprecated fields show the owner at creation",
    async (api) => {
      const transfers = transactionsOf(api, "TransferSubnetOwnershipTx");
      expect(transfers.length).toBeGreaterThan(1);
      for (const { txHash, json } of transactionsOf(api, "CreateSubnetTx")) {
        const subnet = (await all(api)).find(({ subnetId }) => subnetId === txHash);
        const first = ownerOf(json["owner"]);
        const last = transfers.filter(({ json: { subnetID } }) => subnetID === txHash).at(-1)?.json["newOwner"];
        const { locktime, threshold, addresses } = first;
        expect(subnet).toMatchObject({ locktime, threshold, ownerAddresses: addresses });
        expect(subnet?.subnetOwnershipInfo).toEqual(last ? ownerOf(last) : first);
      }
    },
  ),
  rule("E7.3", "MUST", "an L1 has its conversion and validator manager; other subnets lack them", async (api) => {
    const conversions = new Map(
      transactionsOf(api, "ConvertSubnetToL1Tx").map(({ txHash, json }) => [json["subnetID"], { txHash, json }]),
    );
    expect(conversions.size).toBeGreaterThan(3);
    for (const subnet of await all(api)) {
      const conversion = conversions.get(subnet.subnetId);
      expect(subnet.isL1).toBe(conversion !== undefined);
      expect(subnet["l1ConversionTransactionHash"]).toBe(conversion?.txHash);
      expect(subnet["l1ValidatorManagerDetails"]).toEqual(
        conversion && { blockchainId: conversion.json["chainID"], contractAddress: conversion.json["address"] },
      );
    }
  }),
  rule("E7.4", "MUST", "lists the blockchains of each subnet in order of creation, as the node does", async (api) => {
    const validated = resultsIn(ALPHA, "p-state", "platform.validates");
    expect(validated.length).toBeGreaterThan(3);
    const subnets = new Map((await all(api)).map((subnet) => [subnet.subnetId, subnet.blockchains]));
    for (const { params, text } of validated) {
      const { blockchainIDs } = JSON.parse(text) as { blockchainIDs: string[] };
      const ids = subnets.get(String(params["subnetID"]))?.map(({ blockchainId }) => blockchainId);
      expect(ids?.toSorted()).toEqual(blockchainIDs.toSorted());
    }
    const created = transactionsOf(api, "CreateChainTx");
    const found = [...subnets.values()].flat().filter(({ subnetId }) => subnetId !== P_CHAIN);
    const inOrder = created.map(({ txHash }) => found.find(({ blockchainId }) => blockchainId === txHash));
    expect(found).toHaveLength(created.length);
    expect(inOrder).toMatchObject(
      created.map(({ txHash, json, blockNumber, blockTimestamp }) => ({
        blockchainId: txHash,
        subnetId: json["subnetID"],
        vmId: json["vmID"],
        blockchainName: json["chainName"],
        createBlockNumber: blockNumber,
        createBlockTimestamp: blockTimestamp,
      })),
    );
    for (const chains of subnets.values()) {
      const own = created.filter(({ txHash }) => chains.some(({ blockchainId }) => blockchainId === txHash));
      const listed = chains.filter(({ subnetId }) => subnetId !== P_CHAIN).map(({ blockchainId }) => blockchainId);
      expect(listed).toEqual(own.map(({ txHash }) => txHash));
    }
  }),
  rule(
    "E7.5",
    "CHOICE",
    "evmChainId comes from the genesis; genesisData has its documented members, or hex",
    async (api) => {
      const chains = new Map(
        (await all(api)).flatMap(({ blockchains }) => blockchains).map((one) => [one.blockchainId, one]),
      );
      let evm = 0;
      for (const { txHash, json } of transactionsOf(api, "CreateChainTx")) {
        const bytes = Buffer.from(String(json["genesisData"]), "base64");
        const { evmChainId, genesisData } = chains.get(txHash) as Blockchain & { genesisData: Record<string, unknown> };
        const genesis = parsed(bytes.toString());
        expect(evmChainId).toBe(genesis?.config?.chainId);
        if (!genesis) expect(genesisData).toEqual({ encoding: "hex", data: `0x${bytes.toString("hex")}` });
        else {
          expect(genesisData).toMatchObject({ config: { chainId: genesis.config?.chainId } });
          expect(Object.keys(genesisData["alloc"] ?? {})).toEqual(Object.keys(genesis.alloc ?? {}));
          evm++;
        }
      }
      expect(evm).toBeGreaterThan(0);
    },
  ),
  rule("E7.6", "CHOICE", "the primary network is the oldest subnet, with three chains and no owner", async (api) => {
    const genesis = Number(
      (await api.pool.query("SELECT genesis_timestamp FROM primary_networks")).rows[0].genesis_timestamp,
    );
    const X = CHAIN_NAMES.X[1];
    const C = CHAIN_NAMES.C[1];
    const { blockchains, ...primary } = (await all(api, "&sortOrder=asc"))[0] as Subnet;
    expect(primary).toEqual({
      createBlockTimestamp: genesis,
      createBlockIndex: "-1",
      subnetId: P_CHAIN,
      ownerAddresses: [],
      threshold: 0,
      locktime: 0,
      subnetOwnershipInfo: { locktime: 0, threshold: 0, addresses: [] },
      isL1: false,
    });
    const common = { createBlockTimestamp: genesis, createBlockNumber: "-1", subnetId: P_CHAIN };
    expect(blockchains).toMatchObject([
      {
        ...common,
        blockchainId: P_CHAIN,
        blockchainName: "P-Chain",
        vmId: "rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT",
      },
      {
        ...common,
        blockchainId: X,
        blockchainName: "X-Chain",
        vmId: "jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq",
      },
      {
        ...common,
        blockchainId: C,
        blockchainName: "C-Chain",
        evmChainId: 760011,
        vmId: "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6",
      },
    ]);
    expect("genesisData" in (blockchains[0] as object)).toBe(false);
  }),
  rule("E7.7", "MUST", "sortOrder sets the direction; refuses other values with 400", async (api) => {
    const subnets = await all(api);
    expect(await all(api, "&sortOrder=desc")).toEqual(subnets);
    expect(await all(api, "&sortOrder=asc")).toEqual(subnets.toReversed());
    expect(await api.refusal(`${PATH}?sortOrder=up`)).toEqual([400, 'sortOrder must be one of asc, desc, got "up"']);
  }),
  rule(
    "E7.8",
    "CHOICE",
    "a page ends before its genesis data exceeds the limit and has at least one subnet",
    async (api) => {
      const listed = expected(api);
      const pagesWith = async (bytes: readonly number[]) => {
        await using _ = await withGenesis(api, listed, bytes);
        const pages: number[] = [];
        for (let token = ""; ; ) {
          const { subnets, nextPageToken } = await api.body<{ subnets: Subnet[]; nextPageToken?: string }>(
            `${PATH}?${token}`,
          );
          pages.push(subnets.length);
          if (!nextPageToken) return pages;
          token = `&pageToken=${nextPageToken}`;
        }
      };
      const rest = listed.length - 2;
      expect(await pagesWith([300_000, 300_000])).toEqual([listed.length]);
      expect(await pagesWith([600_000, 600_000])).toEqual([1, 1 + rest]);
      expect(await pagesWith([2_000_000, 5])).toEqual([1, 1 + rest]);
      expect(await pagesWith([5, 2_000_000])).toEqual([1, 1, rest]);
    },
  ),
];

interface Genesis {
  readonly config?: { readonly chainId?: unknown };
  readonly alloc?: object;
}

/** The genesis of an EVM chain; null for any other. */
function parsed(text: string): Genesis | null {
  try {
    const genesis = JSON.parse(text) as Genesis;
    return "config" in genesis || "alloc" in genesis ? genesis : null;
  } catch {
    return null;
  }
}

/** Until it is disposed, each subnet has one more blockchain, with a genesis of this number of bytes. */
async function withGenesis(
  { pool }: Api,
  subnetIds: readonly string[],
  bytes: readonly number[],
): Promise<AsyncDisposable> {
  for (const [index, size] of bytes.entries())
    await pool.query(
      `INSERT INTO blockchains SELECT s.network_id, decode(repeat(to_hex($1::int), 64), 'hex'), 1000 + $1::int, s.subnet_id, 1, 1,
         s.subnet_id, 'made', decode(repeat('00', $2), 'hex'), NULL
       FROM (SELECT * FROM subnets ORDER BY subnet_seq DESC OFFSET $1 LIMIT 1) s`,
      [index, size],
    );
  expect(subnetIds.length).toBeGreaterThan(bytes.length);
  return {
    async [Symbol.asyncDispose]() {
      await pool.query("DELETE FROM blockchains WHERE name = 'made'");
    },
  };
}

/** All rules of E7. */
export const SUBNET_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...paginationRules(LIST),
  ...networkRules("E7", pathOf),
  ...everyRouteRules({
    id: "E7",
    path: PATH,
    units: 20,
    statements: 3,
    parameter: { name: "sortOrder", good: "asc", bad: "up" },
  }),
];
