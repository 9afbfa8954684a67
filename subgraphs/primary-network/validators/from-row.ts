import { decimalText } from "../../../core/decimal.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/store.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { statusAt } from "../stakers/status.ts";
import type { Validator, ValidatorRewards } from "./types.ts";

/** Of a rate in millionths the percent, without zeros at its end. */
export const percentText = (millionths: number): string => decimalText(BigInt(millionths), 4);

/** Owners of a staker's rewards, each once. */
export const rewardAddresses = (network: ServedNetwork, { rewardAddresses }: StakerRow): string[] =>
  byteList(rewardAddresses).map((address) => addressText(network, address));

/** A validation as callers see it. */
export function shownValidator(network: ServedNetwork, row: StakerRow, nowSeconds: number): Validator {
  const { isPermissioned, shares, blsPublicKey, blsProofOfPossession } = row;
  const validationStatus = statusAt(row, nowSeconds);
  return {
    row,
    served: network,
    network: network.network,
    txHash: row.txHash,
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    amountStaked: isPermissioned ? "0" : row.weight,
    weight: row.weight,
    isPermissioned,
    delegationFee: shares === null ? null : percentText(shares),
    startTimestamp: row.startTimestamp,
    endTimestamp: row.endTimestamp,
    blsCredentials:
      blsPublicKey === null || blsProofOfPossession === null
        ? null
        : { publicKey: blsPublicKey, proofOfPossession: blsProofOfPossession },
    validationStatus,
    rewards: validationStatus === "completed" ? paidRewards(network, row) : null,
    removeTxHash: row.removeTxHash,
    removeTimestamp: validationStatus === "removed" ? row.endedTimestamp : null,
    geolocation: null,
  };
}

function paidRewards(network: ServedNetwork, row: StakerRow): ValidatorRewards {
  return {
    validationRewardAmount: row.paidReward,
    delegationRewardAmount: row.paidShare,
    rewardAddresses: row.isPermissioned ? null : rewardAddresses(network, row),
    rewardTxHash: row.rewardTxHash,
  };
}
