import { registerEnumType } from "type-graphql";

const DESCRIPTIONS = {
  AddValidatorTx: "Stakes for validating the primary network; before Durango.",
  AddSubnetValidatorTx: "Lets a validator into a subnet.",
  AddDelegatorTx: "Stakes for a validator of the primary network; before Durango.",
  CreateChainTx: "Makes a blockchain on a subnet.",
  CreateSubnetTx: "Makes a subnet.",
  ImportTx: "Takes outputs over from another chain.",
  ExportTx: "Hands outputs over to another chain.",
  AdvanceTimeTx: "Moves the time of the P-Chain; before Banff.",
  RewardValidatorTx: "Ends a stake: its block's commit rewards it, an abort does not.",
  RemoveSubnetValidatorTx: "Takes a validator off a subnet.",
  TransformSubnetTx: "Makes a subnet elastic; before Etna.",
  AddPermissionlessValidatorTx: "Stakes for validating the primary network or an elastic subnet.",
  AddPermissionlessDelegatorTx: "Stakes for a validator of the primary network or of an elastic subnet.",
  BaseTx: "Moves outputs.",
  TransferSubnetOwnershipTx: "Gives a subnet another owner.",
  ConvertSubnetToL1Tx: "Makes an L1 of a subnet.",
  RegisterL1ValidatorTx: "Begins an L1 validation.",
  SetL1ValidatorWeightTx: "Changes the weight of an L1 validator; 0 removes it.",
  DisableL1ValidatorTx: "Makes an L1 validator inactive and gives back its balance.",
  IncreaseL1ValidatorBalanceTx: "Adds to the balance of an L1 validator.",
  UNKNOWN: "A type that is none of the others.",
  CreateAssetTx: "Makes an asset.",
  OperationTx: "Mints, and moves or burns what is no plain amount.",
} as const;

export type PrimaryNetworkTxType = keyof typeof DESCRIPTIONS;

export const PrimaryNetworkTxType = Object.fromEntries(Object.keys(DESCRIPTIONS).map((name) => [name, name])) as {
  [Name in PrimaryNetworkTxType]: Name;
};

registerEnumType(PrimaryNetworkTxType, {
  name: "PrimaryNetworkTxType",
  description: "Type of a transaction of the P- or X-Chain, or of an atomic one of the C-Chain.",
  valuesConfig: Object.fromEntries(
    Object.entries(DESCRIPTIONS).map(([name, description]) => [name, { description }]),
  ) as { [Name in PrimaryNetworkTxType]: { description: string } },
});

/** Types by their own names, as rows have them. */
export const NAMED_TYPES: readonly string[] = Object.keys(DESCRIPTIONS).filter((name) => name !== "UNKNOWN");

const NAMED = new Set(NAMED_TYPES);

/** A row's type as callers see it. */
export function shownType(txType: string): PrimaryNetworkTxType {
  return NAMED.has(txType) ? (txType as PrimaryNetworkTxType) : "UNKNOWN";
}
