import type { L1Validator as Row } from "../../../prisma/client/client.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import { addressText } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { ACCRUED_FEES } from "./order.ts";
import type { L1Validator } from "./types.ts";

type ValidatorRow = TextRow<Row>;

const NAMES = [
  "networkId",
  "validationId",
  "validatorSeq",
  "subnetId",
  "nodeId",
  "weight",
  "creationTimestamp",
  "blsPublicKey",
  "blsProofOfPossession",
  "remainingBalanceOwnerThreshold",
  "minNonce",
  "deactivationOwnerThreshold",
  "isActive",
  "isRemoved",
  "endAccumulatedFee",
] as const;

/** A row of `COLUMNS`. Owner lists are in the form that `byteList` parses. */
export type L1ValidatorRow = Pick<ValidatorRow, (typeof NAMES)[number]> & {
  readonly balanceOwners: string;
  readonly deactivationOwners: string;
  readonly remainingBalance: string;
};

/** SELECT list of a validator `t`. Fees accrued up to the last block are deducted from its balance. */
export const COLUMNS = `${columns<ValidatorRow>(...NAMES)},
  ${byteListSql("t.remaining_balance_owner_addresses")} AS "balanceOwners",
  ${byteListSql("t.deactivation_owner_addresses")} AS "deactivationOwners",
  CASE WHEN t.is_active THEN t.end_accumulated_fee - ${ACCRUED_FEES} ELSE 0 END AS "remainingBalance"`;

/** An L1 validator in the API's form. */
export function l1ValidatorFromRow(network: ServedNetwork, row: L1ValidatorRow): L1Validator {
  const owner = (addresses: string, threshold: string) => ({
    network: network.network,
    addresses: byteList(addresses).map((address) => addressText(network, address)),
    threshold: Number(threshold),
  });
  return {
    served: network,
    network: network.network,
    validationId: row.validationId,
    validationIdHex: row.validationId,
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    weight: row.weight,
    remainingBalance: row.remainingBalance,
    creationTimestamp: row.creationTimestamp,
    blsCredentials: { publicKey: row.blsPublicKey, proofOfPossession: row.blsProofOfPossession },
    remainingBalanceOwner: owner(row.balanceOwners, row.remainingBalanceOwnerThreshold),
    deactivationOwner: owner(row.deactivationOwners, row.deactivationOwnerThreshold),
    isActive: row.isActive,
    isRemoved: row.isRemoved,
    minNonce: row.minNonce,
  };
}
