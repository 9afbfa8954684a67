import type { Config } from "../../../core/config/config-schema.ts";
import { decimalText } from "../../../core/formats/decimal.ts";
import { testConfig } from "../../../test/support/config.ts";
import { type ExportedRow, exportedRows, primaryRequest, withSource } from "../../../test/support/exported-rows.ts";
import { sampled } from "../../../test/support/full.ts";
import { servedCChain, servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import { addressesText } from "./network.ts";

interface Owners {
  readonly addresses: readonly string[];
}

interface Reward {
  readonly utxoId: string;
  readonly amount: string;
  readonly addresses: readonly string[];
}

interface PricedReward {
  readonly utxoId: string;
  readonly addresses: readonly string[];
  readonly rewardTimestamp: number;
  readonly reward: { readonly amount: string; readonly historicalPrice: { readonly value: string } | null };
}

interface Stake {
  readonly txHash: string;
  readonly nodeId: string;
  readonly subnetId: string;
  readonly startTimestamp: number;
  readonly endTimestamp: number;
  readonly historicalRewards: readonly Reward[];
}

interface Validator extends Stake {
  readonly weight: string;
  readonly restakedReward: string | null;
  readonly restakedDelegationFees: string | null;
  readonly isPermissioned: boolean;
  readonly delegationFee: string | null;
  readonly removeTxHash: string | null;
  readonly rewards: Readonly<Record<"validationRewardAmount" | "delegationRewardAmount", string>> | null;
  readonly validationRewardOwner: Owners | null;
  readonly delegationRewardOwner: Owners | null;
}

interface Delegator extends Stake {
  readonly amountDelegated: string;
  readonly rewardOwner: Owners;
  readonly validator: { readonly txHash: string };
}

const STAKE = `txHash nodeId subnetId startTimestamp endTimestamp
  historicalRewards { utxoId reward { amount } addresses }`;
const VALIDATOR = `${STAKE} weight restakedReward restakedDelegationFees isPermissioned delegationFee removeTxHash
  rewards { validationRewardAmount delegationRewardAmount }
  validationRewardOwner { addresses } delegationRewardOwner { addresses }`;
const DELEGATOR = `${STAKE} amountDelegated rewardOwner { addresses } validator { txHash }`;
const STAKING_TYPES =
  "ADD_VALIDATOR_TX, ADD_DELEGATOR_TX, ADD_SUBNET_VALIDATOR_TX, ADD_PERMISSIONLESS_VALIDATOR_TX, ADD_PERMISSIONLESS_DELEGATOR_TX, ADD_AUTO_RENEWED_VALIDATOR_TX";

const ownersText = (owners: Owners | null): string => owners?.addresses.join(";") ?? "";

function stakeCells(stake: Stake): ExportedRow {
  return {
    TxHash: stake.txHash,
    NodeId: stake.nodeId,
    SubnetId: stake.subnetId,
    StartTimestamp: String(stake.startTimestamp),
    EndTimestamp: String(stake.endTimestamp),
    RewardUtxoIds: stake.historicalRewards.map(({ utxoId }) => utxoId).join(";"),
  };
}

/** What the file must have of a validator, by the graph's fields. */
function validatorCells(validator: Validator): ExportedRow {
  return {
    ...stakeCells(validator),
    Kind: "VALIDATOR",
    Stake: validator.weight,
    RestakedReward: validator.restakedReward ?? "",
    RestakedDelegationFees: validator.restakedDelegationFees ?? "",
    IsPermissioned: String(validator.isPermissioned),
    DelegationFeePercent: validator.delegationFee ?? "",
    RemoveTxHash: validator.removeTxHash ?? "",
    RewardOwners: ownersText(validator.validationRewardOwner),
    DelegationFeeOwners: ownersText(validator.delegationRewardOwner),
    ...(validator.rewards && {
      PaidReward: validator.rewards.validationRewardAmount,
      PaidDelegationFees: validator.rewards.delegationRewardAmount,
    }),
  };
}

function delegatorCells(delegator: Delegator): ExportedRow {
  return {
    ...stakeCells(delegator),
    Kind: "DELEGATOR",
    Stake: delegator.amountDelegated,
    RewardOwners: ownersText(delegator.rewardOwner),
    ValidatorTxHash: delegator.validator.txHash,
  };
}

/** The sum of rewards in US dollars; empty text if one has no price. */
function valueText(rewards: readonly PricedReward[]): string {
  if (rewards.length === 0) return "";
  let micros = 0n;
  for (const { reward } of rewards) {
    if (reward.historicalPrice === null) return "";
    const [whole = "", fraction = ""] = String(reward.historicalPrice.value).split(".");
    const divisor = 10n ** BigInt(3 + fraction.length);
    micros += (2n * BigInt(reward.amount) * BigInt(whole + fraction) + divisor) / (2n * divisor);
  }
  return decimalText(micros, 6);
}

describeAllRecordings(
  "the export of stakes",
  (folder) => {
    let opened: OpenedPrimary;
    let config: Config;
    let networkId: number;
    let owners: string[];
    let stakes: Map<string, { readonly cells: ExportedRow; readonly rewardOwners: readonly string[] }>;

    beforeAll(async () => {
      const evmChains = servedCChain(folder).map((chain) => ({
        ...chain,
        networkToken: { ...chain.networkToken, priceId: "avax" },
      }));
      config = { ...testConfig(), primaryNetworks: servedNetworks(folder), evmChains };
      opened = await openPrimary(folder, { evmChains });
      // Prices begin in the middle, so that earlier payments have none.
      await opened.database.pool.query(
        `INSERT INTO prices SELECT 'avax', 'usd', reward_timestamp, 20 + reward_timestamp % 1000 / 700.0 FROM primary_rewards
         WHERE reward_timestamp >= (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY reward_timestamp) FROM primary_rewards)
         ON CONFLICT DO NOTHING`,
      );
      networkId = opened.recording.network.networkId;
      const { rows } = await opened.database.pool.query<{ owner: string }>(
        "SELECT DISTINCT '0x' || encode(owner, 'hex') AS owner FROM utxos, unnest(addresses) AS owner ORDER BY 1",
      );
      owners = rows.map(({ owner }) => owner);
      stakes = new Map();
      for (const one of await listed<Validator>("validators", "", VALIDATOR))
        stakes.set(one.txHash, {
          cells: validatorCells(one),
          rewardOwners: [one.validationRewardOwner, one.delegationRewardOwner].flatMap((all) => all?.addresses ?? []),
        });
      for (const one of await listed<Delegator>("delegators", "", DELEGATOR))
        stakes.set(one.txHash, { cells: delegatorCells(one), rewardOwners: one.rewardOwner.addresses });
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    /** All items of a list of the graph. */
    async function listed<Item>(list: string, filter: string, fields: string): Promise<Item[]> {
      const items: Item[] = [];
      for (let token: string | null = ""; token !== null; ) {
        const query = `{ page: ${list}(network: FUJI, ${filter} first: 100, after: "${token}") {
          nextPageToken items: nodes { ${fields} } } }`;
        const { page } = await opened.ask<{ page: { nextPageToken: string | null; items: Item[] } }>(query);
        items.push(...page.items);
        token = page.nextPageToken;
      }
      return items;
    }

    const bech32 = (owner: string) => addressesText(opened.recording.network.hrp, `\\x${owner.slice(2)}`);
    const requestOf = (addresses: readonly string[]) =>
      primaryRequest({ networkId, addresses, type: "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING" });
    const rowsOf = (...addresses: string[]) => exportedRows(opened.database.pool, requestOf(addresses), config);

    it("has the stakes that an address funds or owns the rewards of, as the graph has them, and no other", async () => {
      for (const owner of sampled(owners, 6)) {
        const address = bech32(owner);
        const filter = `blockchainId: "p-chain", filter: { addresses: ["${address}"], types: [${STAKING_TYPES}] },`;
        const funded = await listed<{ txHash: string }>("primaryNetworkTransactions", filter, "txHash");
        const ids = new Set(funded.map(({ txHash }) => txHash).filter((id) => stakes.has(id)));
        for (const [id, { rewardOwners }] of stakes) if (rewardOwners.includes(address)) ids.add(id);
        const rows = await rowsOf(owner);
        const ofTransactions = rows.filter(({ TxType }) => TxType !== "");
        const ofGenesis = rows.filter(({ TxType }) => TxType === "");
        const known = new Set(ofGenesis.map(({ TxHash = "" }) => TxHash));
        expect(new Set(ofTransactions.map(({ TxHash }) => TxHash))).toEqual(
          new Set([...ids].filter((id) => !known.has(id))),
        );
        for (const row of rows) {
          const cells = stakes.get(row["TxHash"] ?? "")?.cells ?? {};
          const names = Object.keys(cells);
          expect(names.length).toBeGreaterThan(0);
          expect(Object.fromEntries(names.map((name) => [name, row[name]]))).toEqual(cells);
        }
      }
    });

    it("has the parts of stakes and rewards that the addresses own: the parts of all addresses add up to the whole stake", async () => {
      for (const row of await rowsOf(...owners)) {
        const { TxType, Kind, IsPermissioned, Stake, OwnStake, RestakedReward } = row;
        if (TxType !== "" && IsPermissioned === "false" && RestakedReward === "")
          expect({ Kind, OwnStake }).toEqual({ Kind, OwnStake: Stake });
        if (row["RewardUtxoIds"] === "") expect(row["OwnReward"]).toBe("");
      }
    });

    it("has the value of own rewards by the graph's price at each payment, and the last price", async () => {
      const known = new Set<string>();
      for (const owner of sampled(owners, 6)) {
        const address = bech32(owner);
        const fields = "utxoId addresses rewardTimestamp reward { amount historicalPrice(currency: USD) { value } }";
        const rewards = new Map<string, PricedReward>();
        const rows = await rowsOf(owner);
        for (const nodeId of new Set(rows.map(({ NodeId = "" }) => NodeId)))
          for (const one of await listed<PricedReward>("rewards", `filter: { nodeIds: ["${nodeId}"] },`, fields))
            rewards.set(one.utxoId, one);
        for (const row of rows) {
          const ids = row["RewardUtxoIds"] ? row["RewardUtxoIds"].split(";") : [];
          const paid = ids.map((id) => rewards.get(id) as PricedReward);
          const last = paid.find(({ rewardTimestamp }) => String(rewardTimestamp) === row["RewardTimestamp"]);
          const own = paid.filter(({ addresses }) => addresses.includes(address));
          const { OwnReward, RewardPriceUsd, RewardValueUsd } = row;
          known.add(RewardValueUsd ? "value" : OwnReward ? "no price" : "no reward");
          expect({ OwnReward, RewardPriceUsd, RewardValueUsd }).toEqual({
            OwnReward: own.length === 0 ? "" : String(own.reduce((sum, { reward }) => sum + BigInt(reward.amount), 0n)),
            RewardPriceUsd: last?.reward.historicalPrice?.value ?? "",
            RewardValueUsd: valueText(own),
          });
        }
      }
      expect(known).toEqual(new Set(["value", "no price", "no reward"]));
    });

    it("has the same rows from every position on, and counts them by day", async () => {
      await withSource(opened.database.pool, requestOf(owners), config, async ({ batches, rows, countDays }) => {
        const all = await rows();
        const counts = new Map<string, number>();
        for (const { BlockTime = "" } of all)
          counts.set(BlockTime.slice(0, 10), (counts.get(BlockTime.slice(0, 10)) ?? 0) + 1);
        const days = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
        expect(await countDays()).toEqual(days.map(([date, count]) => ({ date, rows: count })));
        const isOfGenesis = ({ TxType }: ExportedRow) => TxType === "";
        expect(await rows({ after: "-1" })).toEqual(all.filter((row) => !isOfGenesis(row)));
        expect(await rows({ after: (await batches()).at(-1)?.position ?? null })).toEqual([]);
      });
    });
  },
  { inShortForm: 2 },
);
