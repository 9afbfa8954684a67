import { encodeCb58 } from "../../core/formats/cb58.ts";
import { decimalText } from "../../core/formats/decimal.ts";
import { testConfig } from "../support/config.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../support/indexed/replayed-primary.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
import { type OracleOutput, type OracleTransaction, readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import { parseExactly, recordingFolder, resultsIn, snapshotsOf } from "../support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers, held against the contract before they are read
type Body = Record<string, any>;

const folder = recordingFolder("helicon");
const TYPES = ["AddAutoRenewedValidatorTx", "SetAutoRenewedValidatorConfigTx", "RewardAutoRenewedValidatorTx"];
const bare = (address: string): string => address.replace(/^\w-/, "");
const sum = (amounts: readonly (string | number | bigint)[]) =>
  amounts.reduce<bigint>((all, one) => all + BigInt(one), 0n);

describe("auto-renewed validators of the recording helicon", () => {
  let database: ReplayedPrimary;
  let stack: Stack;
  let all: readonly OracleTransaction[];
  let listed: ReadonlyMap<string, Body>;
  /** The node's state of them at each snapshot, one for each observed cycle. */
  let cycles: readonly Body[];

  beforeAll(async () => {
    all = readPrimaryOracle(folder, await loadOfficialLibrary()).P;
    database = await replayPrimary(folder);
    stack = await startStack({ database, config: { ...testConfig(), primaryNetworks: servedNetworks(folder) } });
    const list = await every("blockchains/p-chain/transactions", "transactions");
    listed = new Map(list.map((tx) => [tx["txHash"], tx]));
    cycles = snapshotsOf(folder)
      .flatMap((file) => resultsIn(folder, file, "platform.getCurrentValidators"))
      .flatMap(({ text }) => (parseExactly(text) as { validators: Body[] }).validators)
      .filter((validator) => "nextPeriod" in validator);
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  async function every(route: string, items: string, query = ""): Promise<Body[]> {
    const found: Body[] = [];
    for (let token = ""; ; ) {
      const path = `/v1/networks/fuji/${route}?pageSize=50${query}${token}`;
      const { status, body } = await stack.get(path);
      expectContract("GET", path, status, body);
      found.push(...(body as Body)[items]);
      if (!(body as Body)["nextPageToken"]) return found;
      token = `&pageToken=${(body as Body)["nextPageToken"]}`;
    }
  }

  const ofType = (txType: string) => all.filter((tx) => tx.txType === txType);
  const added = () => ofType("AddAutoRenewedValidatorTx");
  const nodeOf = ({ json }: OracleTransaction) => `NodeID-${encodeCb58(Buffer.from(json["nodeID"].slice(2), "hex"))}`;
  const cyclesOf = ({ txHash }: OracleTransaction) =>
    ofType("RewardAutoRenewedValidatorTx").filter(({ json }) => json["txID"] === txHash);
  const isOver = (tx: OracleTransaction) =>
    cyclesOf(tx)
      .at(-1)
      ?.emitted.some(({ role }) => role === "stake") ?? false;
  const rewardsIn = ({ emitted }: OracleTransaction) => emitted.filter(({ role }) => role === "reward");
  const isOwn = (tx: OracleTransaction, { addresses }: OracleOutput) =>
    String(addresses) === String(tx.json["validationRewardsOwner"].addresses.map(bare));

  it("E5 their transactions have the type UNKNOWN and the node's outputs", async () => {
    const expected = all.filter(({ txType }) => TYPES.includes(txType));
    for (const tx of expected) {
      const ours = listed.get(tx.txHash) as Body;
      expect(ours["txType"]).toBe("UNKNOWN");
      expect(ours["consumedUtxos"].map(({ utxoId }: Body) => utxoId)).toEqual(tx.consumed);
      expect(ours["emittedUtxos"].map(({ utxoId, amount, addresses }: Body) => [utxoId, amount, addresses])).toEqual(
        tx.emitted.map(({ utxoId, amount, addresses }) => [utxoId, amount, addresses]),
      );
      expect(Object.fromEntries(ours["amountBurned"].map(({ assetId, amount }: Body) => [assetId, amount]))).toEqual(
        tx.burned,
      );
    }
    const owners = [...new Set(expected.flatMap((tx) => [...tx.owners]))];
    const found = await every(
      "blockchains/p-chain/transactions",
      "transactions",
      `&txTypes=UNKNOWN&addresses=${owners.join(",")}`,
    );
    const paid = expected.filter(({ owners }) => owners.size > 0).map(({ txHash }) => txHash);
    expect(found.map(({ txHash }) => txHash).sort()).toEqual(paid.sort());
    expect(TYPES.map((type) => ofType(type).length > 3)).toEqual([true, true, true]);
  });

  it("E5 start with their block; the staking transaction has the times and potential reward of the first cycle", () => {
    for (const tx of added()) {
      const { json, blockTimestamp } = tx;
      const ours = listed.get(tx.txHash) as Body;
      const end = Number(blockTimestamp) + Number(json["period"]);
      const first = cycles.find(({ txID, endTime }) => txID === tx.txHash && Number(endTime) === end);
      expect(ours).toMatchObject({
        nodeId: nodeOf(tx),
        startTimestamp: blockTimestamp,
        endTimestamp: end,
        estimatedReward: first?.["potentialReward"],
        blsCredentials: json["signer"],
        delegationFeePercent: decimalText(BigInt(json["delegationShares"]), 4),
      });
      expect(ours["rewardTxHash"]).toBe(isOver(tx) ? cyclesOf(tx).at(-1)?.txHash : undefined);
      expect(sum(ours["amountStaked"].map(({ amount }: Body) => amount))).toBe(BigInt(first?.["weight"]));
    }
  });

  it("E5 transactions that change them or end a cycle contain the staking transaction's id", () => {
    for (const tx of added()) {
      let start = tx.blockTimestamp;
      for (const { txHash, json } of cyclesOf(tx)) {
        const ours = listed.get(txHash) as Body;
        const end = Number(json["timestamp"]);
        expect(ours).toMatchObject({
          stakingTxHash: tx.txHash,
          nodeId: nodeOf(tx),
          startTimestamp: start,
          endTimestamp: end,
        });
        expect([ours["blockTimestamp"], ours["memo"], ours["amountStaked"]]).toEqual([end, "0x", []]);
        start = end;
      }
    }
    for (const { txHash, json } of ofType("SetAutoRenewedValidatorConfigTx")) {
      const tx = added().find((one) => one.txHash === json["txID"]) as OracleTransaction;
      expect(listed.get(txHash)).toMatchObject({ stakingTxHash: tx.txHash, nodeId: nodeOf(tx) });
    }
  });

  it("E11 are paid the node's rewards at the end of each cycle, with that cycle's weight and times", async () => {
    const nodes = [...new Set(added().map(nodeOf))];
    const found = await every("rewards", "historicalRewards", `&nodeIds=${nodes.join(",")}`);
    const own = new Set(added().map(({ txHash }) => txHash));
    const ours = found.filter(({ txHash, rewardType }) => own.has(txHash) && rewardType !== "DELEGATOR");
    const expected = added().flatMap((tx) =>
      cyclesOf(tx).flatMap((cycle) =>
        rewardsIn(cycle).map((output) => ({
          txHash: tx.txHash,
          rewardTxHash: cycle.txHash,
          nodeId: nodeOf(tx),
          utxoId: output.utxoId,
          addresses: output.addresses,
          rewardType: isOwn(tx, output) ? "VALIDATOR" : "VALIDATOR_FEE",
          endTimestamp: Number(cycle.json["timestamp"]),
          reward: output.amount,
        })),
      ),
    );
    const byId = (one: Body, other: Body) => (one["utxoId"] < other["utxoId"] ? -1 : 1);
    expect(
      ours
        .map(({ txHash, rewardTxHash, nodeId, utxoId, addresses, rewardType, endTimestamp, reward }) => ({
          txHash,
          rewardTxHash,
          nodeId,
          utxoId,
          addresses,
          rewardType,
          endTimestamp,
          reward: reward.amount,
        }))
        .sort(byId),
    ).toEqual(expected.toSorted(byId));
    for (const { txHash, endTimestamp, startTimestamp, amountStaked } of ours) {
      const cycle = cycles.find(({ txID, endTime }) => txID === txHash && Number(endTime) === endTimestamp);
      expect([amountStaked, startTimestamp]).toEqual([cycle?.["weight"], Number(cycle?.["startTime"])]);
    }
    expect(expected.length).toBeGreaterThan(10);
  });

  it("E12 are one validation each with the current cycle, and with all rewards once completed", async () => {
    const end = snapshotsOf(folder).at(-1) as string;
    const atTheEnd = resultsIn(folder, end, "platform.getCurrentValidators").flatMap(
      ({ text }) => (parseExactly(text) as { validators: Body[] }).validators,
    );
    const statuses = [];
    for (const tx of added()) {
      const list = await every(`validators/${nodeOf(tx)}`, "validators");
      const [ours, ...others] = list.filter(({ txHash }) => txHash === tx.txHash);
      expect(others).toEqual([]);
      statuses.push(ours?.["validationStatus"]);
      if (isOver(tx)) {
        const paid = cyclesOf(tx).flatMap(rewardsIn);
        const amounts = (isMine: boolean) =>
          paid.filter((one) => isOwn(tx, one) === isMine).map(({ amount }) => amount);
        expect(ours).toMatchObject({
          validationStatus: "completed",
          endTimestamp: Number(cyclesOf(tx).at(-1)?.json["timestamp"]),
          rewards: {
            validationRewardAmount: String(sum(amounts(true))),
            delegationRewardAmount: String(sum(amounts(false))),
            rewardTxHash: cyclesOf(tx).at(-1)?.txHash,
          },
        });
        continue;
      }
      const node = atTheEnd.find(({ txID }) => txID === tx.txHash) as Body;
      expect(ours).toMatchObject({
        validationStatus: "active",
        amountStaked: node["weight"],
        delegatorCount: Number(node["delegatorCount"] ?? 0),
        startTimestamp: Number(node["startTime"]),
        endTimestamp: Number(node["endTime"]),
        potentialRewards: { validationRewardAmount: node["potentialReward"] },
      });
    }
    expect(statuses.filter((status) => status === "active").length).toBeGreaterThan(1);
    expect(statuses.filter((status) => status === "completed").length).toBeGreaterThan(3);
  });

  it("have their own transaction types in the graph, and what they staked again: their weight without the first stake", async () => {
    const end = snapshotsOf(folder).at(-1) as string;
    const active = resultsIn(folder, end, "platform.getCurrentValidators")
      .flatMap(({ text }) => (parseExactly(text) as { validators: Body[] }).validators)
      .filter((validator) => "nextPeriod" in validator);
    for (const { txID, weight } of active) {
      const { json, blockTimestamp } = added().find(({ txHash }) => txHash === txID) as OracleTransaction;
      const endOfFirst = Number(blockTimestamp) + Number(json["period"]);
      const first = cycles.find((cycle) => cycle["txID"] === txID && Number(cycle["endTime"]) === endOfFirst);
      const query = `{ validator(network: FUJI, txHash: "${txID}") { restakedReward restakedDelegationFees transaction { txType } } }`;
      const { body } = await stack.get(`/graphql?query=${encodeURIComponent(query)}`);
      const { restakedReward, restakedDelegationFees, transaction } = (body as Body)["data"].validator;
      expect(sum([first?.["weight"], restakedReward, restakedDelegationFees])).toBe(BigInt(weight));
      expect(transaction).toEqual({ txType: "ADD_AUTO_RENEWED_VALIDATOR_TX" });
    }
    expect(active.length).toBeGreaterThan(1);
    for (const [type, name] of [
      ["SetAutoRenewedValidatorConfigTx", "SET_AUTO_RENEWED_VALIDATOR_CONFIG_TX"],
      ["RewardAutoRenewedValidatorTx", "REWARD_AUTO_RENEWED_VALIDATOR_TX"],
    ] as const) {
      const query = `{ primaryNetworkTransaction(network: FUJI, txHash: "${ofType(type)[0]?.txHash}") { txType } }`;
      const { body } = await stack.get(`/graphql?query=${encodeURIComponent(query)}`);
      expect(body).toEqual({ data: { primaryNetworkTransaction: { txType: name } } });
    }
  });
});
