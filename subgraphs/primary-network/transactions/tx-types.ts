import { graphEnum } from "../../shared/schema/graph-enum.ts";

const DESCRIPTIONS = {
  AddValidatorTx: "Adds a validator of the primary network, before Durango.",
  AddSubnetValidatorTx: "Adds a validator to a permissioned subnet.",
  AddDelegatorTx: "Delegates to a validator of the primary network, before Durango.",
  CreateChainTx: "Creates a blockchain on a subnet.",
  CreateSubnetTx: "Creates a subnet.",
  ImportTx: "Imports outputs from another chain.",
  ExportTx: "Exports outputs to another chain.",
  AdvanceTimeTx: "Advances the P-Chain time, before Banff.",
  RewardValidatorTx:
    "Ends a stake. A commit block pays the reward of the stake, an abort block does not. If the stake is a validator's, both blocks pay the validator's share of its delegators' rewards.",
  RemoveSubnetValidatorTx: "Removes a validator from a permissioned subnet.",
  TransformSubnetTx: "Makes a subnet elastic, before Etna.",
  AddPermissionlessValidatorTx: "Adds a validator of the primary network or of an elastic subnet.",
  AddPermissionlessDelegatorTx: "Delegates to a validator of the primary network or of an elastic subnet.",
  BaseTx: "Transfers outputs.",
  TransferSubnetOwnershipTx: "Changes the owner of a subnet.",
  ConvertSubnetToL1Tx: "Converts a subnet to an L1.",
  RegisterL1ValidatorTx: "Registers an L1 validator.",
  SetL1ValidatorWeightTx: "Changes the weight of an L1 validator. 0 removes it.",
  DisableL1ValidatorTx: "Deactivates an L1 validator and returns its balance.",
  IncreaseL1ValidatorBalanceTx: "Adds to the balance of an L1 validator.",
  AddAutoRenewedValidatorTx:
    "Adds a validator of the primary network that stakes for consecutive cycles, after Helicon (ACP-236).",
  SetAutoRenewedValidatorConfigTx:
    "Changes the length of an auto-renewed validator's next cycle, or its share of rewards to restake. A length of 0 ends the stake.",
  RewardAutoRenewedValidatorTx:
    "Ends a cycle of an auto-renewed validator. After a commit block the next cycle starts, unless the validator exits. After an abort block the stake ends.",
  UNKNOWN: "Any other type.",
  CreateAssetTx: "Creates an asset.",
  OperationTx: "Mints assets, NFTs or properties, transfers NFTs, or burns properties.",
} as const;

export type PrimaryNetworkTxType = keyof typeof DESCRIPTIONS;

export const PrimaryNetworkTxType = graphEnum<PrimaryNetworkTxType>({
  name: "PrimaryNetworkTxType",
  description: "Type of a P-Chain or X-Chain transaction, or of an atomic transaction of the C-Chain.",
  values: DESCRIPTIONS,
});

/** Types that rows store under the same name. */
export const NAMED_TYPES: readonly string[] = Object.keys(DESCRIPTIONS).filter((name) => name !== "UNKNOWN");

const NAMED = new Set(NAMED_TYPES);

/** Type of a row in the API: `UNKNOWN` if the API has no name for it. */
export function apiTxType(txType: string): PrimaryNetworkTxType {
  return NAMED.has(txType) ? (txType as PrimaryNetworkTxType) : "UNKNOWN";
}
