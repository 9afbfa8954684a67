import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
import { createOracle } from "../support/oracle/oracle.ts";
import { type OracleTransaction, type PrimaryOracle, readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import {
  currentValidators,
  feeOf,
  type NodeStaker,
  PRIMARY_SUBNET,
  weightOf,
} from "../support/recorded/node-stakers.ts";
import { readSnapshots, type Snapshot } from "../support/recorded/primary-recording.ts";
import { at, columnOf, evmFacts, listAt, newestFirst, type ServedPages, servePages } from "./page.ts";

const [C, L1] = evmFacts();
const END = readSnapshots(ALPHA).at(-1) as Snapshot;
/** The most stake of a validator with its delegations, in nAVAX. */
const MAX_VALIDATOR_STAKE = 3_000_000_000_000_000n;
const NETWORK = { network: "FUJI" };
const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";
const L1_SUBNET = "2wZnmGBoRa8PpSceBw86aepyUgGWjYXp887jsksnk9aQkpWXkZ";

let pages: ServedPages;
let oracle: PrimaryOracle;
beforeAll(async () => {
  pages = await servePages();
  oracle = readPrimaryOracle(ALPHA, await loadOfficialLibrary());
});
afterAll(() => pages[Symbol.asyncDispose]());

/** The result of the node at the end of the recording, of the call with a parameter that contains a text. */
function answered<Result>(method: string, text = ""): Result {
  const found = END.answers(method).find(({ params }) => JSON.stringify(params).includes(text));
  return found?.result as Result;
}

/** The node's validators of a subnet at the end of the recording, or those of one node. */
function validatorsOf(subnetId: string, nodeId: string | null = null) {
  const found = currentValidators(END).find((one) => one.subnetId === subnetId && one.nodeId === nodeId);
  return found?.answer ?? { stakers: [], l1: [] };
}

const STAKERS = validatorsOf(PRIMARY_SUBNET).stakers;
const sum = (values: readonly string[]): string => String(values.reduce((total, value) => total + BigInt(value), 0n));
/** What can still be delegated to a validator: its limit without its own stake and the delegations. */
const capacityOf = (staker: NodeStaker): bigint => {
  const weight = BigInt(weightOf(staker));
  const limit = 5n * weight < MAX_VALIDATOR_STAKE ? 5n * weight : MAX_VALIDATOR_STAKE;
  return limit - weight - BigInt(staker.delegatorWeight ?? 0);
};
const byWeight = (one: string, other: string): number => (BigInt(one) < BigInt(other) ? 1 : -1);
const newest = (transactions: readonly OracleTransaction[], count: number): string[] =>
  transactions
    .toReversed()
    .slice(0, count)
    .map(({ txHash }) => txHash);
const burnedBy = (transactions: readonly OracleTransaction[], assetId: string): string =>
  sum(transactions.map(({ burned }) => burned[assetId] ?? "0"));
const avax = (): string => answered<{ assetID: string }>("platform.getStakingAssetID").assetID;

it("06-explorer-home has the newest blocks of all chains, and the state of staking", async () => {
  const data = await pages.ask("06-explorer-home", NETWORK);
  const blocks = [C, L1].flatMap(({ id, chain }) =>
    chain.blocks.map(({ block }) => ({
      chain_id: id,
      block_number: String(Number(block.number)),
      block_timestamp: String(Number(block.timestamp)),
      hash: block.hash,
    })),
  );
  expect(at(data, "latestBlocks.nodes.*.blockHash")).toEqual(columnOf(newestFirst(blocks), "hash", 6));
  const transactions = newestFirst([...C.facts.evm_transactions, ...L1.facts.evm_transactions], "block_index");
  expect(at(data, "latestTransactions.nodes.*.txHash")).toEqual(columnOf(transactions, "tx_hash", 6));
  expect(at(data, "chains.chains.*.totals.transactions")).toEqual(
    [C, L1].map(({ facts }) => String(facts.evm_transactions.length)),
  );
  expect(at(data, "primaryNetworks.*.statistics.totalStake")).toEqual([
    answered<{ weight: string }>("platform.getTotalStake", PRIMARY_SUBNET).weight,
  ]);
  expect(at(data, "pChainTransactions.nodes.*.txHash")).toEqual(newest(oracle.P, 6));
  expect(at(data, "xChainTransactions.nodes.*.txHash")).toEqual(newest(oracle.X, 6));
});

it("12-p-chain-transactions has the transactions of some types in a range of time, and what they burned", async () => {
  const ofTypes = oracle.P.filter(({ txType }) => ["CreateSubnetTx", "ConvertSubnetToL1Tx"].includes(txType));
  const fromTime = ofTypes[2]?.blockTimestamp ?? 0;
  const expected = ofTypes.filter(({ blockTimestamp }) => (blockTimestamp ?? 0) >= fromTime).reverse();
  const filter = { types: ["CREATE_SUBNET_TX", "CONVERT_SUBNET_TO_L1_TX"], fromTime };
  const data = await pages.ask("12-p-chain-transactions", { ...NETWORK, blockchainId: "p-chain", filter });
  expect(expected.length).toBeGreaterThan(4);
  const nodes = listAt(data, "primaryNetworkTransactions.nodes");
  expect(nodes.map((node) => [at(node, "txHash"), at(node, "amountBurned.*.amount")])).toEqual(
    expected.map(({ txHash, burned }) => [txHash, Object.values(burned)]),
  );
  expect(at(data, "primaryNetworkTransactions.totalCount")).toEqual({ count: String(expected.length), isExact: true });
  const orderBy = { direction: "ASC" };
  const ascending = await pages.ask("12-p-chain-transactions", {
    ...NETWORK,
    blockchainId: "p-chain",
    filter,
    orderBy,
  });
  expect(at(ascending, "primaryNetworkTransactions.nodes.*.txHash")).toEqual(
    expected.toReversed().map(({ txHash }) => txHash),
  );
});

it.each([
  ["P", "ConvertSubnetToL1Tx"],
  ["P", "RewardValidatorTx"],
  ["X", "CreateAssetTx"],
  ["C", "ExportTx"],
] as const)(
  "13-primary-transaction has the inputs, outputs and fee of a transaction of %s: %s",
  async (chain, txType) => {
    const expected = oracle[chain].find((one) => one.txType === txType) as OracleTransaction;
    const { primaryNetworkTransaction: found } = (await pages.ask("13-primary-transaction", {
      ...NETWORK,
      txHash: expected.txHash,
    })) as { primaryNetworkTransaction: unknown };
    expect(at(found, "blockNumber")).toBe(expected.blockNumber);
    expect(new Set(listAt(found, "consumedUtxos.*.utxoId"))).toEqual(new Set(expected.consumed));
    const outputs = listAt(found, "emittedUtxos").map((one) => [at(one, "utxoId"), at(one, "amount")]);
    expect(new Map(outputs as [string, string][])).toEqual(
      new Map(expected.emitted.map(({ utxoId, amount }) => [utxoId, amount])),
    );
    expect(at(found, "amountBurned.*.amount")).toEqual(Object.values(expected.burned));
  },
);

it("14-primary-address has the node's balances, and the transactions of the address", async () => {
  const data = await pages.ask("14-primary-address", { ...NETWORK, address: OWNER });
  const { primaryNetworkAddress: found } = data as { primaryNetworkAddress: unknown };
  const onP = answered<{ balances: Record<string, string> }>("platform.getBalance", `["P-${OWNER}"]`);
  const onX = answered<{ balances: { asset: string; balance: string }[] }>("avm.getAllBalances", OWNER);
  // Since the recording some locks ended, so only the sums are those of the node.
  const held = ["unlockedUnstaked", "lockedPlatform", "lockedStakeable"].flatMap((list) =>
    listAt(found, `pChain.balances.${list}`),
  );
  for (const [assetId, balance] of Object.entries(onP.balances)) {
    const amounts = held.filter((one) => at(one, "assetId") === assetId).map((one) => String(at(one, "amount")));
    expect([assetId, sum(amounts)]).toEqual([assetId, balance]);
  }
  const balances = onX.balances.map(({ balance }) => balance);
  expect(at(found, "xChain.balances.unlockedUnstaked.*.amount")).toEqual(expect.arrayContaining(balances));
  // Those on the chain, and those that another chain has exported to it.
  const ofAddress = END.answers("platform.getUTXOs").filter(
    ({ params }) => String(params["addresses"]) === `P-${OWNER}`,
  );
  const counts = ofAddress.map(({ result }) => (result as { readonly numFetched: string }).numFetched);
  expect(counts.length).toBeGreaterThan(1);
  expect(at(found, "unspentUtxos.totalCount.count")).toBe(sum(counts));
  const ofOwner = (transactions: readonly OracleTransaction[]) =>
    transactions.filter(({ owners }) => owners.has(OWNER));
  expect(at(found, "pChainTransactions.nodes.*.txHash")).toEqual(newest(ofOwner(oracle.P), 10));
  expect(at(found, "xChainTransactions.nodes.*.txHash")).toEqual(newest(ofOwner(oracle.X), 10));
  const all = [...oracle.P, ...oracle.X, ...oracle.C];
  const consumed = new Set(all.flatMap((transaction) => transaction.consumed));
  const outputs = all.flatMap(({ emitted }) => emitted);
  const spent = new Set(
    outputs
      .filter(({ addresses, utxoId }) => addresses.includes(OWNER) && consumed.has(utxoId))
      .map(({ utxoId }) => utxoId),
  );
  const listed = listAt(data, "spent.nodes.*.utxoId") as readonly string[];
  expect(listed).toHaveLength(10);
  expect(listed.filter((id) => !spent.has(id))).toEqual([]);
});

it("15-validator has the node's stake, rewards and delegators of a validator", async () => {
  const { nodeID } = STAKERS.find(({ delegatorCount }) => Number(delegatorCount) > 1) as NodeStaker;
  const [expected] = validatorsOf(PRIMARY_SUBNET, nodeID).stakers;
  const variables = {
    ...NETWORK,
    nodeId: nodeID,
    delegatorFilter: { nodeIds: [nodeID], status: "ACTIVE" },
    delegatorOrder: { field: "WEIGHT" },
  };
  const data = await pages.ask("15-validator", variables);
  const validator = listAt(data, "validatorNode.validators.nodes").find(
    (one) => at(one, "subnetId") === PRIMARY_SUBNET && at(one, "validationStatus") === "ACTIVE",
  );
  expect(validator).toMatchObject({
    txHash: expected?.txID,
    amountStaked: weightOf(expected as NodeStaker),
    activeDelegatorCount: Number(expected?.delegatorCount),
    activeAmountDelegated: expected?.delegatorWeight,
    delegationCapacity: String(capacityOf(expected as NodeStaker)),
    potentialRewards: { validationRewardAmount: expected?.potentialReward },
    blsCredentials: expected?.signer,
  });
  const delegators = expected?.delegators ?? [];
  expect(delegators.length).toBeGreaterThan(1);
  expect(at(data, "delegators.nodes.*.amountDelegated")).toEqual(delegators.map(weightOf).sort(byWeight));
  expect(at(data, "delegators.totalCount.count")).toBe(expected?.delegatorCount);
});

it("15-validator has the blocks that a validator proposed", async () => {
  const [{ nodeID = "" } = {}] = STAKERS.filter(({ startTime }) => startTime === STAKERS.at(-1)?.startTime);
  const data = await pages.ask("15-validator", { ...NETWORK, nodeId: nodeID, delegatorFilter: { nodeIds: [nodeID] } });
  expect(listAt(data, "proposed.nodes").length).toBeGreaterThan(5);
});

it.each(["WEIGHT", "DELEGATION_FEE", "END_TIME"])(
  "16-validators has the node's validators by %s, with totals",
  async (field) => {
    const filter = { status: "ACTIVE", subnetId: PRIMARY_SUBNET };
    const data = await pages.ask("16-validators", { ...NETWORK, filter, orderBy: { field } });
    const sortedBy = {
      WEIGHT: weightOf,
      DELEGATION_FEE: (one: NodeStaker) => String(Number(feeOf(one)) * 10_000),
      END_TIME: ({ endTime }: NodeStaker) => endTime,
    }[field] as (one: NodeStaker) => string;
    const nodes = listAt(data, "validators.nodes");
    const found = nodes.map((node) => STAKERS.find(({ txID }) => txID === at(node, "txHash")) as NodeStaker);
    expect(found.map(sortedBy)).toEqual(STAKERS.map(sortedBy).sort(byWeight));
    expect(nodes.map((node) => at(node, "weight"))).toEqual(found.map(weightOf));
    expect(nodes.map((node) => at(node, "delegationFee"))).toEqual(found.map(feeOf));
    expect(at(data, "validators.totalCount.count")).toBe(String(STAKERS.length));
    // No counter has the weight of the validators that have a fee.
    const totalWeight = field === "DELEGATION_FEE" ? null : sum(STAKERS.map(weightOf));
    expect(at(data, "validators.totalWeight")).toBe(totalWeight);
  },
);

it("17-subnets has the L1s by the total weight that the node returns, and the validators of one by weight", async () => {
  const data = await pages.ask("17-subnets", {
    ...NETWORK,
    filter: { kinds: ["L1"] },
    orderBy: { field: "TOTAL_WEIGHT" },
    subnetId: L1_SUBNET,
    subnetIds: [L1_SUBNET],
    validatorOrder: { field: "WEIGHT" },
  });
  const nodes = listAt(data, "subnets.nodes");
  const weights = nodes.map((node) => l1Weight(String(at(node, "subnetId"))));
  expect(nodes.length).toBeGreaterThan(3);
  expect(weights).toEqual(weights.toSorted(byWeight));
  const { l1 } = validatorsOf(L1_SUBNET);
  expect(at(data, "l1Validators.nodes.*.weight")).toEqual(l1.map(({ weight }) => weight).sort(byWeight));
  expect(at(data, "l1Validators.totalCount.count")).toBe(String(l1.length));
  expect(at(data, "l1Validators.totalWeight")).toBe(
    answered<{ weight: string }>("platform.getTotalStake", L1_SUBNET).weight,
  );
  expect(at(data, "subnet.validatorCount")).toBe(String(l1.length));
});

/** The node's sum of the weights of the L1 validators of a subnet. */
const l1Weight = (subnetId: string): string => sum(validatorsOf(subnetId).l1.map(({ weight }) => weight));

it("19-network-statistics has the node's stake and supply, and what happened on each chain", async () => {
  const data = await pages.ask("19-network-statistics", { ...NETWORK, interval: "DAY" });
  const [network] = listAt(data, "primaryNetworks");
  const { blockchains } = answered<{ blockchains: { subnetID: string }[] }>("platform.getBlockchains");
  const created = blockchains.filter(({ subnetID }) => subnetID !== PRIMARY_SUBNET);
  const delegators = STAKERS.reduce((count, { delegatorCount }) => count + Number(delegatorCount), 0);
  expect(at(network, "statistics")).toMatchObject({
    validators: STAKERS.length,
    delegators,
    totalStake: answered<{ weight: string }>("platform.getTotalStake", PRIMARY_SUBNET).weight,
    currentSupply: answered<{ supply: string }>("platform.getCurrentSupply").supply,
    blockchains: created.length,
  });
  const days = listAt(network, "activity.nodes");
  const sumOf = (path: string) => sum(days.map((day) => String(at(day, path))));
  const accepted = oracle.P.filter(({ txHash }) => txHash !== "");
  expect(sumOf("pChain.transactions")).toBe(String(accepted.length));
  expect(sumOf("xChain.transactions")).toBe(String(oracle.X.length));
  expect(sumOf("pChain.feesBurned")).toBe(burnedBy(oracle.P, avax()));
  expect(sumOf("xChain.feesBurned")).toBe(burnedBy(oracle.X, avax()));
  const rewards = oracle.P.flatMap(({ emitted }) => emitted.filter(({ role }) => role === "reward"));
  expect(sumOf("rewardsPaid")).toBe(sum(rewards.map(({ amount }) => amount)));
  const recording = openRecording(ALPHA);
  const chains = listAt(data, "chains.chains");
  for (const [index, { id, facts }] of [C, L1].entries()) {
    const { blocks } = createOracle(recording, Number(id));
    expect(at(chains[index], "totals.transactions")).toBe(String(facts.evm_transactions.length));
    expect(at(chains[index], "last24Hours.feesSpent")).toBe(sum(blocks.map(({ feesSpent }) => String(feesSpent))));
    expect(at(chains[index], "activity.nodes.*.blocks")).toEqual([String(blocks.length - 1)]);
  }
});

it("20-x-chain-asset has the name of the asset, its first outputs, and those that nothing has consumed", async () => {
  const { X, P, C: atomic } = oracle;
  const created = X.find(({ txType }) => txType === "CreateAssetTx") as OracleTransaction;
  const data = await pages.ask("20-x-chain-asset", { ...NETWORK, assetId: created.txHash });
  const { primaryNetworkAsset: asset } = data as { primaryNetworkAsset: unknown };
  expect(asset).toMatchObject({
    name: created.json["name"],
    symbol: created.json["symbol"],
    denomination: Number(created.json["denomination"]),
  });
  expect(new Set(listAt(asset, "transaction.emittedUtxos.*.utxoId"))).toEqual(
    new Set(created.emitted.map(({ utxoId }) => utxoId)),
  );
  const consumed = new Set([...X, ...P, ...atomic].flatMap((transaction) => transaction.consumed));
  const onX = [
    ...X.flatMap(({ emitted }) => emitted.filter(({ role }) => role !== "exported")),
    ...[...P, ...atomic].flatMap(({ emitted }) => emitted.filter(({ role }) => role === "exported")),
  ];
  const unspent = onX.filter(({ assetId, utxoId }) => assetId === created.txHash && !consumed.has(utxoId));
  const found = listAt(asset, "unspentUtxos.nodes").map((one) => [at(one, "utxoId"), at(one, "amount")]);
  expect(unspent.length).toBeGreaterThan(0);
  expect(at(asset, "unspentUtxos.totalCount.count")).toBe(String(unspent.length));
  expect(new Map(found as [string, string][])).toEqual(new Map(unspent.map(({ utxoId, amount }) => [utxoId, amount])));
});

it("21-search finds a token by its symbol, a chain by its name, and a transaction, node and subnet by their ids", async () => {
  const found = async (text: string) => listAt(await pages.ask("21-search", { text }), "search.results");
  const token = createOracle(openRecording(ALPHA), 760011).token("0xf9bfb6ee4c65e51ccac3b9e13fd879c11be9e430");
  expect(await found(token?.symbol ?? "")).toContainEqual(
    expect.objectContaining({ __typename: "Erc20Token", chainId: C.id, name: token?.name }),
  );
  const named = answered<{ blockchains: { id: string; name: string }[] }>("platform.getBlockchains").blockchains[0];
  expect(await found(named?.name ?? "")).toContainEqual(
    expect.objectContaining({ __typename: "Blockchain", blockchainId: named?.id }),
  );
  const transaction = C.facts.evm_transactions.at(-1);
  expect(await found(transaction?.["tx_hash"] ?? "")).toEqual([
    expect.objectContaining({ __typename: "EvmTransaction", value: transaction?.["value"] }),
  ]);
  const { nodeID } = STAKERS[0] as NodeStaker;
  expect(await found(nodeID)).toEqual([expect.objectContaining({ __typename: "ValidatorNode", nodeId: nodeID })]);
  expect(await found(L1_SUBNET)).toContainEqual(expect.objectContaining({ __typename: "Subnet", isL1: true }));
});
