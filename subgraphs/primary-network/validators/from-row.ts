import type { ServedNetwork } from "../networks/served-network.ts";
import { percentText, rewardAddresses } from "../stakers/rewards-text.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { statusAt } from "../stakers/status.ts";
import type { Validator, ValidatorRewards } from "./types.ts";

/** A validation in the API's form, with its status at `nowSeconds`. */
export function validatorFromRow(network: ServedNetwork, row: StakerRow, nowSeconds: number): Validator {
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
    restakedReward: row.restakedReward,
    restakedDelegationFees: row.restakedShare,
    removeTxHash: row.removeTxHash,
    removeTimestamp: validationStatus === "removed" ? row.endedTimestamp : null,
    geolocation: null,
  };
}

function paidRewards(network: ServedNetwork, row: StakerRow): ValidatorRewards {
  return {
    network: network.network,
    validationRewardAmount: row.paidReward,
    delegationRewardAmount: row.paidShare,
    rewardAddresses: row.isPermissioned ? null : rewardAddresses(network, row),
    rewardTxHash: row.rewardTxHash,
  };
}
