import { decimalText } from "../../../core/formats/decimal.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import type { Column } from "../column.ts";
import { booleanText } from "../shared/cells.ts";
import { isoTime } from "../shared/days.ts";
import { asText, fieldCell } from "../shared/field-cell.ts";
import type { Price } from "../shared/prices.ts";
import { addressesText, type ExportedNetwork, idText, nodeIdText } from "./network.ts";
import type { Asset } from "./row.ts";
import type { StakeFields } from "./stakes.ts";

/** A stake with its context from other tables. */
export interface StakeRow {
  readonly network: ExportedNetwork;
  readonly fields: StakeFields;
  /** The staked asset; null if nothing is staked, or if its creation is not indexed. */
  readonly asset: Asset | null;
  /** Price of AVAX when the last reward was paid; null if unknown, or if nothing was paid in AVAX. */
  readonly rewardPrice: Price | null;
  /** US dollars of the rewards that the exported addresses own; empty text if unknown. */
  readonly rewardValueUsd: string;
}

type Name = keyof StakeFields;

const text = fieldCell<StakeFields>(asText);
const id = fieldCell<StakeFields>(idText);
const time = fieldCell<StakeFields>(isoTime);

const amount =
  (name: Name) =>
  ({ fields, asset }: StakeRow): string => {
    const value = fields[name];
    return value === null || asset === null ? "" : decimalText(BigInt(value), asset.decimals);
  };

/** Owners in the JSON that the indexer writes; addresses in hex without `0x`. */
const owners =
  (name: "rewardOwner" | "shareOwner") =>
  ({ fields, network }: StakeRow): string => {
    const json = fields[name];
    if (json === null) return "";
    const { addresses } = JSON.parse(json) as { readonly addresses: readonly string[] };
    return addressesText(network.hrp, addresses.map((address) => `\\x${address}`).join(","));
  };

const idList = ({ fields: { rewardUtxoIds } }: StakeRow): string =>
  rewardUtxoIds ? rewardUtxoIds.split(",").map(idText).join(";") : "";

const SECONDS = "seconds since 1970-01-01 UTC";
const SMALLEST = "smallest unit of the staked asset";
const WHOLE = "whole units of the staked asset";
const NO_ASSET =
  "The stake is a validator of a permissioned subnet, or its asset was created in a block after the last block of the X-Chain.";

/** Columns of `TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING`. */
export const STAKE_COLUMNS: readonly Column<StakeRow>[] = [
  {
    name: "ChainName",
    kind: "text",
    description: "Always `p-chain`.",
    unit: null,
    empty: null,
    example: "p-chain",
    cell: () => PRIMARY_CHAIN_ALIASES.P,
  },
  {
    name: "TxHash",
    kind: "text",
    description: "Id of the staking transaction.",
    unit: null,
    empty: null,
    example: "2ZHZaRZuQL2PUEpPn9tp6WZWeohBCkSmZzNgiEYsoYVuvJ1c1C",
    cell: id("txHash"),
  },
  {
    name: "TxType",
    kind: "text",
    description: "Type of the staking transaction, as the chain names it.",
    unit: null,
    empty: "A stake of the genesis.",
    example: "AddPermissionlessDelegatorTx",
    cell: text("txType"),
  },
  {
    name: "BlockNumber",
    kind: "number",
    description: "Height of the block of the staking transaction; 0 for the genesis.",
    unit: null,
    empty: null,
    example: "11250342",
    cell: text("blockNumber"),
  },
  {
    name: "BlockHash",
    kind: "text",
    description: "Id of that block.",
    unit: null,
    empty: "A stake of the genesis.",
    example: "JV7SUQAUhHxpS4wWu4KQJMPgpgdyWhFMtQPQL1xkHLksQKecK",
    cell: id("blockHash"),
  },
  {
    name: "BlockTimestamp",
    kind: "number",
    description: "Time of that block. It decides on which day the row is.",
    unit: SECONDS,
    empty: null,
    example: "1719497196",
    cell: text("blockTimestamp"),
  },
  {
    name: "BlockTime",
    kind: "time",
    description: "The same time in ISO 8601, in UTC.",
    unit: null,
    empty: null,
    example: "2024-06-27T14:06:36Z",
    cell: time("blockTimestamp"),
  },
  {
    name: "Kind",
    kind: "text",
    description: "`VALIDATOR` or `DELEGATOR`.",
    unit: null,
    empty: null,
    example: "DELEGATOR",
    cell: text("kind"),
  },
  {
    name: "Status",
    kind: "text",
    description:
      "`PENDING`: the stake has not started. `ACTIVE`: it has started. `COMPLETED`: it has ended. `REMOVED`: a transaction removed the validator from a permissioned subnet.",
    unit: null,
    empty: null,
    example: "COMPLETED",
    cell: text("status"),
  },
  {
    name: "NodeId",
    kind: "text",
    description: "Node that validates.",
    unit: null,
    empty: null,
    example: "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg",
    cell: ({ fields }) => nodeIdText(fields.nodeId),
  },
  {
    name: "SubnetId",
    kind: "text",
    description: "Subnet that is validated.",
    unit: null,
    empty: null,
    example: "11111111111111111111111111111111LpoYY",
    cell: id("subnetId"),
  },
  {
    name: "IsPermissioned",
    kind: "text",
    description: "`true` for a validator of a permissioned subnet, which stakes nothing; otherwise `false`.",
    unit: null,
    empty: null,
    example: "false",
    cell: ({ fields }) => booleanText(fields.isPermissioned),
  },
  {
    name: "AssetId",
    kind: "text",
    description: "Id of the staked asset.",
    unit: null,
    empty: "A validator of a permissioned subnet.",
    example: "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z",
    cell: id("assetId"),
  },
  {
    name: "AssetSymbol",
    kind: "text",
    description: "Symbol of the staked asset.",
    unit: null,
    empty: NO_ASSET,
    example: "AVAX",
    cell: ({ asset }) => asset?.symbol ?? "",
  },
  {
    name: "Stake",
    kind: "number",
    description:
      "Amount of the stake, whoever funds it. For an auto-renewed validator it includes the rewards that are staked again. For a validator of a permissioned subnet it is the weight.",
    unit: SMALLEST,
    empty: null,
    example: "25000000000",
    cell: text("weight"),
  },
  {
    name: "StakeAmount",
    kind: "number",
    description: "The same stake as an exact decimal.",
    unit: WHOLE,
    empty: NO_ASSET,
    example: "25",
    cell: amount("weight"),
  },
  {
    name: "OwnStake",
    kind: "number",
    description: "Sum of the staked outputs that the exported addresses own.",
    unit: SMALLEST,
    empty: "The exported addresses own none of them, or the stake is of the genesis.",
    example: "25000000000",
    cell: text("ownStake"),
  },
  {
    name: "OwnStakeAmount",
    kind: "number",
    description: "The same sum as an exact decimal.",
    unit: WHOLE,
    empty: "`OwnStake` is empty, or the asset was created in a block after the last block of the X-Chain.",
    example: "25",
    cell: amount("ownStake"),
  },
  {
    name: "StartTimestamp",
    kind: "number",
    description: "Start of the stake. For an auto-renewed validator, of the current cycle.",
    unit: SECONDS,
    empty: null,
    example: "1719497196",
    cell: text("startTimestamp"),
  },
  {
    name: "StartTime",
    kind: "time",
    description: "The same time in ISO 8601, in UTC.",
    unit: null,
    empty: null,
    example: "2024-06-27T14:06:36Z",
    cell: time("startTimestamp"),
  },
  {
    name: "EndTimestamp",
    kind: "number",
    description: "End of the stake. For an auto-renewed validator, of the current cycle.",
    unit: SECONDS,
    empty: null,
    example: "1722089196",
    cell: text("endTimestamp"),
  },
  {
    name: "EndTime",
    kind: "time",
    description: "The same time in ISO 8601, in UTC.",
    unit: null,
    empty: null,
    example: "2024-07-27T14:06:36Z",
    cell: time("endTimestamp"),
  },
  {
    name: "DelegationFeePercent",
    kind: "number",
    description: "Share of the rewards of its delegators that the validator gets.",
    unit: "percent",
    empty: "A delegator, and a validator that accepts no delegations.",
    example: "2",
    cell: ({ fields }) => (fields.shares === null ? "" : decimalText(BigInt(fields.shares), 4)),
  },
  {
    name: "ValidatorTxHash",
    kind: "text",
    description: "Staking transaction of the delegator's validator.",
    unit: null,
    empty: "A validator.",
    example: "Smo1VMHCzD4eNFSoUXA4vPSBNkqrUUbDq28ALbFpN1wPgpNpB",
    cell: id("validatorTxHash"),
  },
  {
    name: "RewardOwners",
    kind: "text",
    description: "Owners of the reward: Bech32 without a chain prefix, with a semicolon between them.",
    unit: null,
    empty: "A validator of a permissioned subnet.",
    example: "avax1qm2a25eytsrj235hq4fnrzkj0p0pjtvshg5spz",
    cell: owners("rewardOwner"),
  },
  {
    name: "DelegationFeeOwners",
    kind: "text",
    description: "Owners of the validator's share of the rewards of its delegators, in the same form.",
    unit: null,
    empty: "A delegator, and a validator of a permissioned subnet.",
    example: "avax1qm2a25eytsrj235hq4fnrzkj0p0pjtvshg5spz",
    cell: owners("shareOwner"),
  },
  {
    name: "PotentialReward",
    kind: "number",
    description:
      "Reward that the stake can earn, computed at its start; for an auto-renewed validator, at the start of the cycle. For a delegation, it includes the validator's share.",
    unit: SMALLEST,
    empty: "The stake has not started, or has no reward.",
    example: "187500000",
    cell: text("potentialReward"),
  },
  {
    name: "PotentialRewardAmount",
    kind: "number",
    description: "The same reward as an exact decimal.",
    unit: WHOLE,
    empty: "`PotentialReward` is empty, or the asset was created in a block after the last block of the X-Chain.",
    example: "0.1875",
    cell: amount("potentialReward"),
  },
  {
    name: "PaidReward",
    kind: "number",
    description: "Reward of the stake itself that has been paid to `RewardOwners`.",
    unit: SMALLEST,
    empty: null,
    example: "183750000",
    cell: text("paidReward"),
  },
  {
    name: "PaidRewardAmount",
    kind: "number",
    description: "The same reward as an exact decimal.",
    unit: WHOLE,
    empty: NO_ASSET,
    example: "0.18375",
    cell: amount("paidReward"),
  },
  {
    name: "PaidDelegationFees",
    kind: "number",
    description:
      "Share of the rewards of its delegators that has been paid to `DelegationFeeOwners`. 0 for a delegator.",
    unit: SMALLEST,
    empty: null,
    example: "0",
    cell: text("paidShare"),
  },
  {
    name: "PaidDelegationFeesAmount",
    kind: "number",
    description: "The same share as an exact decimal.",
    unit: WHOLE,
    empty: NO_ASSET,
    example: "0",
    cell: amount("paidShare"),
  },
  {
    name: "OwnReward",
    kind: "number",
    description:
      "Sum of the outputs in `RewardUtxoIds` that the exported addresses own. Before Cortina, the validator's share of a delegation's reward is an output of the delegation.",
    unit: SMALLEST,
    empty: "The exported addresses own none of them.",
    example: "183750000",
    cell: text("ownReward"),
  },
  {
    name: "OwnRewardAmount",
    kind: "number",
    description: "The same sum as an exact decimal.",
    unit: WHOLE,
    empty: "`OwnReward` is empty, or the asset was created in a block after the last block of the X-Chain.",
    example: "0.18375",
    cell: amount("ownReward"),
  },
  {
    name: "RestakedReward",
    kind: "number",
    description: "Reward that an auto-renewed validator has staked again so far.",
    unit: SMALLEST,
    empty: "Not an auto-renewed validator.",
    example: "120000000",
    cell: text("restakedReward"),
  },
  {
    name: "RestakedRewardAmount",
    kind: "number",
    description: "The same reward as an exact decimal.",
    unit: WHOLE,
    empty: "`RestakedReward` is empty, or the asset was created in a block after the last block of the X-Chain.",
    example: "0.12",
    cell: amount("restakedReward"),
  },
  {
    name: "RestakedDelegationFees",
    kind: "number",
    description: "Share of the rewards of its delegators that an auto-renewed validator has staked again so far.",
    unit: SMALLEST,
    empty: "Not an auto-renewed validator.",
    example: "0",
    cell: text("restakedShare"),
  },
  {
    name: "RestakedDelegationFeesAmount",
    kind: "number",
    description: "The same share as an exact decimal.",
    unit: WHOLE,
    empty:
      "`RestakedDelegationFees` is empty, or the asset was created in a block after the last block of the X-Chain.",
    example: "0",
    cell: amount("restakedShare"),
  },
  {
    name: "RewardUtxoIds",
    kind: "text",
    description: "Ids of the reward outputs of this stake, with a semicolon between them.",
    unit: null,
    empty: "No reward was paid.",
    example: "2cPXQbPrnYGgzCGmGWuFbPMvBDJqLkQ5vEoR9DUAwe1vPxqkHC",
    cell: idList,
  },
  {
    name: "RewardTimestamp",
    kind: "number",
    description: "Time of the block that paid the last of them.",
    unit: SECONDS,
    empty: "No reward was paid.",
    example: "1722089201",
    cell: text("rewardTimestamp"),
  },
  {
    name: "RewardTime",
    kind: "time",
    description: "The same time in ISO 8601, in UTC.",
    unit: null,
    empty: "No reward was paid.",
    example: "2024-07-27T14:06:41Z",
    cell: time("rewardTimestamp"),
  },
  {
    name: "RewardPriceUsd",
    kind: "number",
    description: "Price of one AVAX at `RewardTimestamp`.",
    unit: "US dollars",
    empty: "No reward was paid, the staked asset is not AVAX, or no price of that time is stored.",
    example: "27.4512",
    cell: ({ rewardPrice }) => rewardPrice?.text ?? "",
  },
  {
    name: "RewardValueUsd",
    kind: "number",
    description:
      "Value of `OwnReward`: the sum over its outputs. Each is valued by the price of AVAX when it was paid, and rounded half up to six digits after the point.",
    unit: "US dollars",
    empty:
      "`OwnReward` is empty, the staked asset is not AVAX, or no price of the time of one of the outputs is stored.",
    example: "5.044158",
    cell: ({ rewardValueUsd }) => rewardValueUsd,
  },
  {
    name: "RewardTxHash",
    kind: "text",
    description: "Id of the transaction that ended the stake.",
    unit: null,
    empty: "The stake has not ended, or it is a validator of a permissioned subnet.",
    example: "Smo1VMHCzD4eNFSoUXA4vPSBNkqrUUbDq28ALbFpN1wPgpNpB",
    cell: id("rewardTxHash"),
  },
  {
    name: "IsRewarded",
    kind: "text",
    description: "`true` if the stake ended with a reward, `false` if the network refused it.",
    unit: null,
    empty: "The stake has not ended, or it is a validator of a permissioned subnet.",
    example: "true",
    cell: ({ fields }) => booleanText(fields.isRewarded),
  },
  {
    name: "EndedTimestamp",
    kind: "number",
    description:
      "Time of the block that ended the stake. For a validator of a permissioned subnet that was not removed, the end of its period.",
    unit: SECONDS,
    empty: "The stake has not ended.",
    example: "1722089201",
    cell: text("endedTimestamp"),
  },
  {
    name: "EndedTime",
    kind: "time",
    description: "The same time in ISO 8601, in UTC.",
    unit: null,
    empty: "The stake has not ended.",
    example: "2024-07-27T14:06:41Z",
    cell: time("endedTimestamp"),
  },
  {
    name: "RemoveTxHash",
    kind: "text",
    description: "Id of the transaction that removed the validator from a permissioned subnet.",
    unit: null,
    empty: "The validator was not removed.",
    example: "JV7SUQAUhHxpS4wWu4KQJMPgpgdyWhFMtQPQL1xkHLksQKecK",
    cell: id("removeTxHash"),
  },
];

/** The column that `exportedAddress` of a request adds. */
export const EXPORTED_STAKER: Column<StakeRow> = {
  name: "ExportedAddress",
  kind: "text",
  description:
    "Only in files with `exportedAddress`. Exported address for which the stake is listed, in Bech32 without a chain prefix. If there are several: all of them, with a semicolon between them.",
  unit: null,
  empty: null,
  example: "avax1qm2a25eytsrj235hq4fnrzkj0p0pjtvshg5spz",
  cell: ({ network, fields }) => addressesText(network.hrp, fields.listedAddresses),
};
