import { formatAddress, parseAddress } from "../../core/formats/bech32.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { statementsOf } from "../support/database/statements.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { inField, type ListPlace, ROOT, walkList } from "../support/lists/walk-query.ts";
import { ask, serveGraph } from "./served.ts";

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let served: Awaited<ReturnType<typeof serveGraph>>;
/** Owners of transactions, stakes and outputs, and those with several owners, in Bech32. */
let owners: readonly string[];

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  served = await serveGraph({ database, config: database.config });
  const data = await dataOf(`{
    delegators(network: FUJI, first: 100) { nodes { rewardAddresses } }
    validators(network: FUJI, first: 100) { nodes { validationRewardOwner { addresses } } }
    p: primaryNetworkTransactions(network: FUJI, blockchainId: "p-chain", first: 100) { nodes { emittedUtxos { addresses } } }
    x: primaryNetworkTransactions(network: FUJI, blockchainId: "x-chain", first: 100) { nodes { emittedUtxos { addresses } } }
  }`);
  owners = [...new Set(JSON.stringify(data).match(/custom1[0-9a-z]+/g))];
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: the shape of the query
async function dataOf(query: string): Promise<any> {
  const { data, errors } = await ask(served.url, query, { [SCHEMA_HEADER]: REST_SCHEMA });
  expect(errors).toBeUndefined();
  return data;
}

const ofAddress = (address: string, fields: string) =>
  `{ found: primaryNetworkAddress(network: FUJI, address: "${address}") { ${fields} } }`;

/** All items of a list, in pages of three. */
const allOf = (place: ListPlace, field: string, args: string, selection: string) =>
  walkList({ ask: dataOf, place, field, args, selection, size: 3 });

const parentOf = (address: string): ListPlace => inField(`primaryNetworkAddress(network: FUJI, address: "${address}")`);

describe("PrimaryNetworkAddress", () => {
  it("is found with and without the prefix of a chain, and by its id", async () => {
    const [address = ""] = owners;
    for (const text of [address, `P-${address}`, `X-${address}`]) {
      const { found } = await dataOf(ofAddress(text, "id network address"));
      expect(found).toEqual({ id: `FUJI:${address}`, network: "FUJI", address });
    }
  });

  it("has empty lists if nothing is known of it", async () => {
    const address = formatAddress({ chain: null, prefix: "custom", address: "00".repeat(20) });
    const lists = `chainNames
      unspentUtxos(blockchainId: "p-chain") { nodes { utxoId } }
      transactions(blockchainId: "p-chain") { nodes { txHash } }
      validators { nodes { txHash } } delegators { nodes { txHash } } rewards { nodes { utxoId } }`;
    expect((await dataOf(ofAddress(address, lists))).found).toEqual({
      chainNames: [],
      unspentUtxos: { nodes: [] },
      transactions: { nodes: [] },
      validators: { nodes: [] },
      delegators: { nodes: [] },
      rewards: { nodes: [] },
    });
  });

  it.each(["p-chain", "x-chain", "c-chain"])(
    "lists on %s the transactions that the root field lists",
    async (chain) => {
      for (const address of owners.slice(0, 8)) {
        const ofChain = `blockchainId: "${chain}"`;
        const args = `network: FUJI, ${ofChain}, filter: { addresses: ["${address}"] }`;
        expect(await allOf(parentOf(address), "transactions", ofChain, "txHash")).toEqual(
          await allOf(ROOT, "primaryNetworkTransactions", args, "txHash"),
        );
      }
    },
  );

  it("lists the delegations and rewards that the root fields list", async () => {
    let count = 0;
    for (const address of owners) {
      const found = await allOf(parentOf(address), "delegators", "", "txHash");
      count += found.length;
      expect(found).toEqual(
        await allOf(ROOT, "delegators", `network: FUJI, rewardAddresses: ["${address}"]`, "txHash"),
      );
      expect(await allOf(parentOf(address), "rewards", "", "utxoId")).toEqual(
        await allOf(ROOT, "rewards", `network: FUJI, filter: { addresses: ["${address}"] }`, "utxoId"),
      );
    }
    expect(count).toBeGreaterThan(0);
  });

  it("lists the validations of which the address owns rewards or fees", async () => {
    const owned = "txHash validationRewardOwner { addresses } delegationRewardOwner { addresses }";
    const all = await allOf(ROOT, "validators", "network: FUJI", owned);
    let count = 0;
    for (const address of owners) {
      const found = await allOf(parentOf(address), "validators", "", "txHash");
      count += found.length;
      expect(found).toEqual(
        all.filter((one) => JSON.stringify(one).includes(address)).map(({ txHash }) => ({ txHash })),
      );
    }
    expect(count).toBeGreaterThan(0);
  });

  it.each(["P", "X", "C"])(
    "lists the unspent outputs of the %s-Chain that the address owns, newest first",
    async (chain) => {
      for (const address of owners) {
        const { rows } = await database.pool.query<{ id: string }>(
          `SELECT encode(utxo_id, 'hex') AS id FROM utxos WHERE chain = $1 AND consumed_timestamp IS NULL
           AND addresses @> ARRAY[decode($2, 'hex')] ORDER BY created_timestamp DESC, utxo_id DESC`,
          [chain, parseAddress(address)?.address],
        );
        const args = `blockchainId: "${chain.toLowerCase()}-chain"`;
        expect(await allOf(parentOf(address), "unspentUtxos", args, "utxoId")).toEqual(
          rows.map(({ id }) => ({ utxoId: formatId(id) })),
        );
      }
    },
  );

  it.each(["p-chain", "x-chain", "c-chain"])("has on %s the balances that the root field returns", async (chain) => {
    const list = "assetId amount utxoCount";
    const atomic = `atomicMemoryUnlocked { ${list} sharedWithChainId status } atomicMemoryLocked { ${list} }`;
    const outputs = [
      "unlockedUnstaked",
      "unlockedStaked",
      "lockedPlatform",
      "lockedStakeable",
      "lockedStaked",
      "pendingStaked",
    ];
    const all = `${atomic} ${outputs.map((name) => `${name} { ${list} }`).join(" ")}`;
    const fields = `chainInfo { chainName } importable { unlocked { ${list} } locked { ${list} } }
      balances { ... on PChainBalances { ${all} } ... on XChainBalances { ${all} } ... on CChainBalances { ${atomic} } }`;
    for (const address of owners.slice(0, 12)) {
      const { found } = await dataOf(ofAddress(address, `balances(blockchainId: "${chain}") { ${fields} }`));
      const { root } = await dataOf(
        `{ root: primaryNetworkBalances(network: FUJI, blockchainId: "${chain}", addresses: ["${address}"]) { ${fields} } }`,
      );
      expect(found.balances).toEqual(root);
    }
  });

  it("sends as many statements for the lists of many addresses as for those of one", async () => {
    const query = (addresses: readonly string[]) =>
      `{ ${addresses
        .map(
          (address, at) => `a${at}: primaryNetworkAddress(network: FUJI, address: "${address}") {
            chainNames
            balances(blockchainId: "p-chain") { importable { unlocked { amount } } chainInfo { chainName } }
            unspentUtxos(blockchainId: "p-chain") { nodes { utxoId } }
            transactions(blockchainId: "p-chain") { nodes { txHash } }
            validators { nodes { txHash } } delegators { nodes { txHash } } rewards { nodes { utxoId } }
          }`,
        )
        .join(" ")} }`;
    await dataOf(query(owners.slice(0, 4)));
    const ofOne = await statementsOf(() => dataOf(query(owners.slice(0, 1))));
    const ofFour = await statementsOf(() => dataOf(query(owners.slice(0, 4))));
    expect(ofFour).toHaveLength(ofOne.length);
  });
});

describe("PrimaryNetworkAsset", () => {
  it("lists its unspent outputs on a chain, newest first", async () => {
    const { primaryNetworks } = await dataOf("{ primaryNetworks { avaxAsset { assetId symbol denomination } } }");
    const [{ avaxAsset }] = primaryNetworks;
    expect(avaxAsset).toEqual({ assetId: expect.any(String), symbol: "AVAX", denomination: 9 });
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT encode(utxo_id, 'hex') AS id FROM utxos u JOIN primary_networks n ON u.asset_id = n.avax_asset_id
       WHERE chain = 'X' AND consumed_timestamp IS NULL ORDER BY created_timestamp DESC, utxo_id DESC`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const asset = inField(`primaryNetworkAsset(network: FUJI, assetId: "${avaxAsset.assetId}")`);
    expect(await allOf(asset, "unspentUtxos", 'blockchainId: "x-chain"', "utxoId")).toEqual(
      rows.map(({ id }) => ({ utxoId: formatId(id) })),
    );
  });
});
