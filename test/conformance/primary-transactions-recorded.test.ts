import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatAddress } from "../../core/formats/bech32.ts";
import { encodeCb58 } from "../../core/formats/cb58.ts";
import { decimalText } from "../../core/formats/decimal.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { testConfig } from "../support/config.ts";
import { servedCChain, servedNetworks } from "../support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../support/indexed/replayed-primary.ts";
import { loadOfficialLibrary, type OfficialLibrary } from "../support/oracle/official-library.ts";
import {
  type OracleTransaction,
  type PrimaryOracle,
  readPrimaryOracle,
  utxoIdOf,
} from "../support/oracle/primary-oracle.ts";
import {
  describeRecordings,
  factsOf,
  resultsIn,
  snapshotsOf,
  utxoTextsOf,
} from "../support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";

const CHAINS = ["P", "X", "C"] as const;
type Chain = (typeof CHAINS)[number];

interface Amount {
  readonly assetId: string;
  readonly amount: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers, held against the contract before they are read
type Body = Record<string, any>;
interface Utxo extends Body {
  readonly utxoId: string;
  readonly asset: Amount;
}
interface Transaction extends Body {
  readonly txHash: string;
  readonly txType: string;
  readonly consumedUtxos: readonly Utxo[];
  readonly emittedUtxos: readonly Utxo[];
}

describeRecordings(
  "E5 transactions",
  (folder) => {
    let database: ReplayedPrimary;
    let stack: Stack;
    let oracle: PrimaryOracle;
    let library: OfficialLibrary;
    const listed = new Map<Chain, readonly Transaction[]>();

    beforeAll(async () => {
      library = await loadOfficialLibrary();
      oracle = readPrimaryOracle(folder, library);
      database = await replayPrimary(folder);
      const served = { primaryNetworks: servedNetworks(folder), evmChains: servedCChain(folder) };
      stack = await startStack({ database, config: { ...testConfig(), ...served } });
      for (const chain of CHAINS) listed.set(chain, await all(chain, "?pageSize=100&sortOrder=asc"));
    });
    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    });

    /** Every page of a list. Most pages are validated against the REST specification. */
    async function all(chain: Chain, query: string, isHeld = true): Promise<Transaction[]> {
      const found: Transaction[] = [];
      for (let token = ""; ; ) {
        const path = `/v1/networks/fuji/blockchains/${chain.toLowerCase()}-chain/transactions${query}`;
        const { status, body } = await stack.get(path + token);
        if (isHeld) expectContract("GET", path, status, body);
        const page = body as Body;
        expect(page["chainInfo"]).toEqual({ chainName: `${chain.toLowerCase()}-chain`, network: "fuji" });
        found.push(...page["transactions"]);
        if (!page["nextPageToken"]) return found;
        token = `&pageToken=${page["nextPageToken"]}`;
      }
    }

    /** The same from the graph, which has the signatures of all chains. */
    async function withCredentials(chain: Chain): Promise<Transaction[]> {
      const found: Transaction[] = [];
      for (let cursor: string | null = null; ; ) {
        const variables = { blockchainId: `${chain.toLowerCase()}-chain`, cursor };
        const { body } = await stack.get("/graphql", {
          method: "POST",
          headers: { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA },
          body: JSON.stringify({ query: WITH_CREDENTIALS, variables }),
        });
        const { data } = body as Body;
        const { transactions, pageInfo } = data.primaryNetworkTransactions;
        found.push(...transactions);
        if (!pageInfo.hasNextPage) return found;
        cursor = pageInfo.endCursor;
      }
    }

    /** Each listed transaction with the node's JSON of it. */
    function pairs(chain: Chain): [Transaction, OracleTransaction][] {
      const byId = new Map(oracle[chain].map((tx) => [tx.txHash, tx]));
      return (listed.get(chain) ?? []).map((tx) => [tx, byId.get(tx.txHash) as OracleTransaction]);
    }

    it.each(CHAINS)("of the %s-Chain are listed in chain order, without duplicates", async (chain) => {
      const place = ({ txHash, txType, blockNumber, blockHash }: Body) => [txHash, txType, blockNumber, blockHash];
      const expected = oracle[chain].map((tx) => [
        tx.txHash,
        tx.txType,
        tx.blockNumber ?? undefined,
        tx.blockHash ?? undefined,
      ]);
      expect(expected.length).toBeGreaterThan(15);
      expect(listed.get(chain)?.map(place)).toEqual(expected);
      expect((await all(chain, "?pageSize=83")).map(place)).toEqual(expected.toReversed());
    });

    it.each(CHAINS)("of the %s-Chain have the times of their blocks", (chain) => {
      let before = 0;
      for (const [tx, node] of pairs(chain)) {
        if (node.blockTimestamp !== null) expect(tx["blockTimestamp"]).toBe(node.blockTimestamp);
        expect(tx["blockTimestamp"]).toBeGreaterThanOrEqual(before);
        before = tx["blockTimestamp"];
      }
    });

    it.each(CHAINS)("of the %s-Chain have the node's consumed and created outputs", (chain) => {
      for (const [tx, node] of pairs(chain)) {
        expect(tx.consumedUtxos.map(({ utxoId }) => utxoId)).toEqual(node.consumed);
        for (const { consumingTxHash } of tx.consumedUtxos) expect(consumingTxHash).toBe(tx.txHash);
        expect(tx.emittedUtxos.map(outputIn)).toEqual(
          node.emitted.map(({ role, stakeableLocktime, ...output }) => ({
            ...output,
            amount: output.amount,
            locktime: Number(output.locktime),
            threshold: Number(output.threshold),
            stakeableLocktime: stakeableLocktime === null ? undefined : Number(stakeableLocktime),
            isStake: role === "stake",
            isReward: role === "reward",
          })),
        );
      }
    });

    it("have the node's bytes of each output that it returns", () => {
      const texts = new Map(utxoTextsOf(folder).map((text) => [utxoIdIn(text), text]));
      const all = CHAINS.flatMap((chain) => listed.get(chain) ?? []);
      const utxos = all.flatMap(({ consumedUtxos, emittedUtxos }) => [...consumedUtxos, ...emittedUtxos]);
      const given = utxos.filter(({ utxoId }) => texts.has(utxoId));
      expect(given.length).toBeGreaterThan(200);
      for (const { utxoId, utxoBytes } of given) expect(utxoBytes).toBe(texts.get(utxoId));
      expect(utxos.filter(({ utxoBytes }) => utxoBytes === undefined)).toEqual([]);
    });

    it.each(CHAINS)("of the %s-Chain have the node's signatures and the signers' public keys", async (chain) => {
      const { hrp } = factsOf(folder);
      const { publicKeyBytesToAddress, publicKeyToEthAddress } = library.secp256k1;
      const addressOf = (key: Uint8Array) =>
        formatAddress({ chain: null, prefix: hrp, address: Buffer.from(publicKeyBytesToAddress(key)).toString("hex") });
      const byId = new Map((await withCredentials(chain)).map((tx) => [tx.txHash, tx]));
      let seen = 0;
      for (const { txHash, txType, json, credentials, consumed } of oracle[chain]) {
        const tx = byId.get(txHash) as Transaction;
        const signed = new Map(
          signersIn(json).flatMap(({ utxoIds, signatureIndices }, index) =>
            utxoIds.map((id) => [id, { signatureIndices, signatures: (credentials[index] ?? []).map(inBase64) }]),
          ),
        );
        expect(tx.consumedUtxos.map(({ utxoId }) => utxoId)).toEqual(consumed);
        for (const { utxoId, addresses, credentials: actual } of tx.consumedUtxos) {
          const { signatures, signatureIndices } = signed.get(utxoId) ?? { signatures: [], signatureIndices: [] };
          expect([txType, (actual as Credential[]).map(({ signature }) => signature)]).toEqual([txType, signatures]);
          expect((actual as Credential[]).map(({ publicKey }) => addressOf(Buffer.from(publicKey, "base64")))).toEqual(
            signatureIndices.map((index) => addresses[Number(index)]),
          );
          seen += actual.length;
        }
        for (const [index, { fromAddress, credentials: actual }] of (tx["evmInputs"] ?? []).entries()) {
          expect(actual.map(({ signature }: Credential) => signature)).toEqual(credentials[index]?.map(inBase64));
          const [address] = actual.map(({ publicKey }: Credential) =>
            publicKeyToEthAddress(Buffer.from(publicKey, "base64")),
          );
          expect(`0x${Buffer.from(address).toString("hex")}`).toBe(fromAddress.toLowerCase());
          seen++;
        }
        for (const { consumingTxHash, credentials: actual } of tx.emittedUtxos)
          expect((actual ?? null) === null).toBe((consumingTxHash ?? null) === null);
      }
      expect(seen).toBeGreaterThan(10);
    });

    it.each(CHAINS)("of the %s-Chain have burned amounts and totals of created and staked outputs", (chain) => {
      for (const [tx, node] of pairs(chain)) {
        expect(byAsset(tx["amountBurned"])).toEqual(node.burned);
        const accounts = (node.json["evmOutputs"] ?? []) as { assetID: string; amount: string }[];
        const created = [...tx.emittedUtxos.map(({ asset }) => asset), ...accounts.map(inOurWords)];
        expect(byAsset(tx["value"])).toEqual(sums(created));
        const staked = node.emitted.filter(({ role, txHash }) => role === "stake" && txHash === tx.txHash);
        expect(byAsset(tx["amountStaked"])).toEqual(sums(staked));
        const balance = (tx["amountL1ValidatorBalanceBurned"] as Amount[])[0]?.amount ?? "0";
        expect(balance).toBe(node.l1Balance);
      }
    });

    it.each(CHAINS)("of the %s-Chain can be filtered by one address and by two", async (chain) => {
      const expected = oracle[chain].toReversed();
      const owners = [...new Set(expected.flatMap((tx) => [...tx.owners]))].sort();
      expect(owners.length).toBeGreaterThan(5);
      const of = (tx: OracleTransaction, ...some: string[]) => some.some((owner) => tx.owners.has(owner));
      for (const [index, owner] of owners.entries()) {
        const own = await all(chain, `?pageSize=100&addresses=${owner}`, false);
        expect(own.map(({ txHash }) => txHash)).toEqual(
          expected.filter((tx) => of(tx, owner)).map(({ txHash }) => txHash),
        );
        // Each type can return a balance once.
        if (index % 2 === 1) continue;
        const other = owners[(index + 1) % owners.length] as string;
        const both = await all(chain, `?pageSize=67&addresses=${owner},${other}`, false);
        expect(both.map(({ txHash }) => txHash)).toEqual(
          expected.filter((tx) => of(tx, owner, other)).map(({ txHash }) => txHash),
        );
      }
    });

    it("of the P-Chain have the fields of their types", () => {
      const durango = upgradeTime(folder, "durangoTime");
      for (const [tx, node] of pairs("P")) {
        const { json } = node;
        const expected = expectedFields(json, node, durango);
        for (const [name, value] of Object.entries(expected)) expect([name, tx[name]]).toEqual([name, value]);
      }
    });

    it("of the P-Chain link a stake and the transaction that ended it, both ways", () => {
      const byId = new Map((listed.get("P") ?? []).map((tx) => [tx.txHash, tx]));
      const ending = pairs("P").filter(([{ txType }]) => txType === "RewardValidatorTx");
      const ended = new Set<unknown>();
      for (const [tx, { json }] of ending) {
        expect(tx["stakingTxHash"]).toBe(json["txID"]);
        ended.add(json["txID"]);
        const staking = byId.get(json["txID"]);
        // The stakes of the genesis are in no block.
        if (!staking) continue;
        expect(staking["rewardTxHash"]).toBe(tx.txHash);
        for (const name of ["nodeId", "subnetId", "startTimestamp", "endTimestamp"])
          expect(tx[name]).toBe(staking[name]);
        expect([tx["amountStaked"], tx["estimatedReward"]]).toEqual([[], undefined]);
      }
      expect(ended.size).toBeGreaterThan(30);
      for (const [txHash, { rewardTxHash }] of byId) expect(rewardTxHash !== undefined).toBe(ended.has(txHash));
    });

    it("of the P-Chain have the node's potential reward, for a delegation without the validator's share", () => {
      let seen = 0;
      const byId = new Map((listed.get("P") ?? []).map((tx) => [tx.txHash, tx]));
      for (const { txID, potentialReward, shares } of expectedRewards(folder)) {
        const tx = byId.get(txID);
        if (!tx) continue;
        seen++;
        const kept = shares === null ? potentialReward : (potentialReward * (1_000_000n - shares)) / 1_000_000n;
        expect([txID, tx["estimatedReward"]]).toEqual([txID, String(kept)]);
      }
      expect(seen).toBeGreaterThan(15);
    });

    it("can be filtered by L1 validation and show its balance changes", async () => {
      const of = new Map<string, string[]>();
      for (const tx of listed.get("P") ?? [])
        for (const { validationId, validationIdHex, balanceChange, remainingBalance } of tx["l1ValidatorDetails"] ??
          []) {
          of.set(validationId, [tx.txHash, ...(of.get(validationId) ?? [])]);
          expect(encodeCb58(Buffer.from(validationIdHex.slice(2), "hex"))).toBe(validationId);
          if (endsBalance(tx)) expect((balanceChange ?? 0) + refundOf(tx)).toBe(0);
          if (balanceChange < 0) expect(remainingBalance).toBe(0);
        }
      expect(of.size).toBeGreaterThan(1);
      for (const [validationId, txHashes] of of) {
        const found = await all("P", `?l1ValidationId=${validationId}`);
        expect(found.map(({ txHash }) => txHash)).toEqual(txHashes);
      }
    });
  },
  { inShortForm: 1 },
);

interface Credential {
  readonly signature: string;
  readonly publicKey: string;
}

const WITH_CREDENTIALS = `query ($blockchainId: String!, $cursor: String) {
  primaryNetworkTransactions(network: FUJI, blockchainId: $blockchainId, first: 100, after: $cursor) {
    pageInfo { hasNextPage endCursor }
    transactions: nodes {
      txHash
      consumedUtxos { ...Spent }
      emittedUtxos { ...Spent }
      evmInputs { fromAddress credentials { signature publicKey } }
    }
  }
}
fragment Spent on PrimaryNetworkUtxo { utxoId addresses consumingTxHash credentials { signature publicKey } }`;

const inBase64 = (hex: string): string => Buffer.from(hex.slice(2), "hex").toString("base64");

/** Signers of each credential in order, with the inputs that they spend, from the node's JSON. */
function signersIn(json: Body): { readonly utxoIds: string[]; readonly signatureIndices: readonly string[] }[] {
  const idOf = ({ txID, outputIndex }: Body) => utxoIdOf(txID, Number(outputIndex));
  const inputs = [...(json["inputs"] ?? []), ...(json["importedInputs"] ?? [])] as Body[];
  return [
    ...inputs.map((one) => ({
      utxoIds: [idOf(one)],
      signatureIndices: (one["input"].input ?? one["input"]).signatureIndices,
    })),
    ...((json["operations"] ?? []) as Body[]).map(({ inputIDs, operation }) => ({
      utxoIds: (inputIDs as Body[]).map(idOf),
      signatureIndices: (operation.mintInput ?? operation.input ?? operation).signatureIndices,
    })),
  ];
}

/** Types that can return an L1 validator's balance. */
const endsBalance = ({ txType }: Transaction): boolean =>
  txType === "DisableL1ValidatorTx" || txType === "SetL1ValidatorWeightTx";

function refundOf({ value, amountBurned, consumedUtxos }: Transaction): number {
  const total = (amounts: readonly Amount[]) => amounts.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return Number(total(value) + total(amountBurned) - total(consumedUtxos.map(({ asset }) => asset)));
}

function outputIn({ utxoId, txHash, outputIndex, asset, addresses, ...utxo }: Utxo) {
  expect([utxo["assetId"], utxo["amount"]]).toEqual([asset.assetId, asset.amount]);
  return {
    utxoId,
    txHash,
    outputIndex,
    assetId: asset.assetId,
    amount: asset.amount,
    addresses,
    locktime: utxo["platformLocktime"],
    stakeableLocktime: utxo["stakeableLocktime"],
    threshold: utxo["threshold"],
    isStake: utxo["staked"],
    isReward: utxo["rewardType"] !== undefined,
  };
}

/** UTXO ID in the node's bytes: transaction and index follow the codec version. */
function utxoIdIn(text: string): string {
  const bytes = Buffer.from(text.slice(2), "hex");
  return utxoIdOf(encodeCb58(bytes.subarray(2, 34)), bytes.readUInt32BE(34));
}

const inOurWords = ({ assetID, amount }: { assetID: string; amount: string }): Amount => ({ assetId: assetID, amount });

function sums(amounts: readonly Amount[]): Record<string, string> {
  const byId = new Map<string, bigint>();
  for (const { assetId, amount } of amounts) byId.set(assetId, (byId.get(assetId) ?? 0n) + BigInt(amount));
  return Object.fromEntries([...byId].filter(([, sum]) => sum > 0n).map(([assetId, sum]) => [assetId, String(sum)]));
}

const byAsset = (amounts: readonly Amount[]): Record<string, string> =>
  Object.fromEntries(amounts.map(({ assetId, amount }) => [assetId, amount]));

function upgradeTime(folder: string, name: string): number {
  return Date.parse(JSON.parse(readFileSync(join(folder, "upgrades.json"), "utf8"))[name]) / 1_000;
}

const PRIMARY = "11111111111111111111111111111111LpoYY";
const bare = (address: string): string => address.replace(/^\w-/, "");

/** Expected members of a P-Chain transaction; members that it must lack are undefined. */
function expectedFields(json: Body, node: OracleTransaction, durango: number): Body {
  const { validator, validators, chainName, owner = json["newOwner"], signer } = json;
  const isStake = validator !== undefined;
  const isAfter = node.blockTimestamp !== null && node.blockTimestamp >= durango;
  const owners = [json["rewardsOwner"], json["validationRewardsOwner"], json["delegationRewardsOwner"]];
  const addresses = [...new Set(owners.flatMap((one) => (one ? one.addresses.map(bare) : [])))];
  const isAtomic = json["sourceChain"] !== undefined || json["destinationChain"] !== undefined;
  const expected: Body = {
    memo: json["memo"] ?? "0x",
    startTimestamp: isStake ? (isAfter ? node.blockTimestamp : Number(validator.start)) : undefined,
    endTimestamp: isStake ? Number(validator.end) : undefined,
    delegationFeePercent: json["shares"] === undefined ? undefined : decimalText(BigInt(json["shares"]), 4),
    rewardAddresses: addresses.length > 0 ? addresses : undefined,
    sourceChain: isAtomic ? (json["sourceChain"] ?? PRIMARY) : undefined,
    destinationChain: isAtomic ? (json["destinationChain"] ?? PRIMARY) : undefined,
    blsCredentials: signer?.publicKey ? signer : undefined,
    subnetOwnershipInfo: owner
      ? { locktime: Number(owner.locktime), threshold: Number(owner.threshold), addresses: owner.addresses.map(bare) }
      : undefined,
    l1ValidatorManagerDetails: validators
      ? { blockchainId: json["chainID"], contractAddress: json["address"] }
      : undefined,
  };
  // Transactions that end a stake have the stake's fields, which another test checks.
  if (node.txType === "RewardValidatorTx") return { memo: "0x", rewardAddresses: undefined, blsCredentials: undefined };
  const subnetId = node.txType === "CreateSubnetTx" ? node.txHash : (validator?.subnetID ?? json["subnetID"]);
  const isAboutL1 = /L1/.test(node.txType);
  return {
    ...expected,
    ...(!isAboutL1 && { subnetId: subnetId ?? (isStake ? PRIMARY : undefined) }),
    nodeId: validator?.nodeID ?? (isAboutL1 ? undefined : json["nodeID"]),
    ...(chainName !== undefined && { blockchainInfo: expect.objectContaining({ chainName, vmId: json["vmID"] }) }),
    ...(validators && { l1ValidatorDetails: validators.map(expectedL1Validator(json["subnetID"])) }),
  };
}

const expectedL1Validator =
  (subnetId: string) =>
  ({ nodeID, weight, balance, signer }: Body) =>
    expect.objectContaining({
      nodeId: `NodeID-${encodeCb58(Buffer.from(nodeID.slice(2), "hex"))}`,
      subnetId,
      weight: Number(weight),
      remainingBalance: Number(balance),
      balanceChange: Number(balance),
      blsCredentials: signer,
    });

/** The node's potential reward of each stake at any snapshot; `shares` of a delegation in millionths, else null. */
function expectedRewards(folder: string): { txID: string; potentialReward: bigint; shares: bigint | null }[] {
  expect(factsOf(folder).hrp).toBe("custom");
  const answers = snapshotsOf(folder).flatMap((file) => resultsIn(folder, file, "platform.getCurrentValidators"));
  const validators = answers.flatMap(({ text }) => JSON.parse(text).validators as Body[]);
  return validators.flatMap(({ txID, potentialReward, delegationFee, delegators }) => [
    ...(potentialReward ? [{ txID, potentialReward: BigInt(potentialReward), shares: null }] : []),
    ...((delegators ?? []) as Body[]).map((one) => ({
      txID: one["txID"] as string,
      potentialReward: BigInt(one["potentialReward"]),
      shares: BigInt(Math.round(Number(delegationFee) * 10_000)),
    })),
  ]);
}
