import type { Config } from "../../../core/config-schema.ts";
import { testConfig } from "../../../test/support/config.ts";
import { type ExportedRow, exportedRows, primaryRequest, withSource } from "../../../test/support/exported-rows.ts";
import { sampled } from "../../../test/support/full.ts";
import { servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
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
const VALIDATOR = `${STAKE} weight isPermissioned delegationFee removeTxHash
  rewards { validationRewardAmount delegationRewardAmount }
  validationRewardOwner { addresses } delegationRewardOwner { addresses }`;
const DELEGATOR = `${STAKE} amountDelegated rewardOwner { addresses } validator { txHash }`;
const STAKING_TYPES =
  "AddValidatorTx, AddDelegatorTx, AddSubnetValidatorTx, AddPermissionlessValidatorTx, AddPermissionlessDelegatorTx";

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
    AmountStaked: validator.weight,
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
    AmountStaked: delegator.amountDelegated,
    RewardOwners: ownersText(delegator.rewardOwner),
    ValidatorTxHash: delegator.validator.txHash,
  };
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
      opened = await openPrimary(folder);
      config = { ...testConfig(), primaryNetworks: servedNetworks(folder) };
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
      const name = list === "primaryNetworkTransactions" ? "transactions" : list;
      for (let token: string | null = ""; token !== null; ) {
        const query = `{ page: ${list}(network: fuji, ${filter} pageSize: 100, pageToken: "${token}") {
          nextPageToken items: ${name} { ${fields} } } }`;
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
        const filter = `blockchainId: "p-chain", addresses: ["${address}"], txTypes: [${STAKING_TYPES}, UNKNOWN],`;
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

    it("has the own part of stakes and rewards: over all addresses the whole", async () => {
      for (const row of await rowsOf(...owners)) {
        const { TxType, Kind, IsPermissioned, AmountStaked, OwnStake, RestakedReward } = row;
        if (TxType !== "" && IsPermissioned === "false" && RestakedReward === "")
          expect({ Kind, OwnStake }).toEqual({ Kind, OwnStake: AmountStaked });
        if (row["RewardUtxoIds"] === "") expect(row["OwnReward"]).toBe("");
      }
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
