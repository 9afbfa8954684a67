import {
  blob,
  blsPublicKey,
  blsSignature,
  constant,
  hexBytes,
  id,
  integer,
  list,
  oneOf,
  shortId,
  sizedNodeId,
  struct,
  text,
  u8,
  u32,
  u64,
  type ValueOf,
} from "../bytes/layout.ts";
import { withEncoding } from "./encoding.ts";
import { authorization, owner, secpCredential, stakeableInput, stakeableOutput } from "./feature-extensions.ts";

const credentials = list(secpCredential);
const outputs = list(stakeableOutput);
const inputs = list(stakeableInput);
const base = { networkId: u32, blockchainId: id, outputs, inputs, memo: hexBytes };

/** Times in seconds. Since Durango, a stake starts with its block; `start` is ignored and may be any number. */
const validator = { nodeId: shortId, start: u64, end: integer, weight: u64 };
/** Outputs that are locked for the period of the stake. Afterwards they can be spent as outputs of this transaction. */
const stake = outputs;
const subnetAuthorization = authorization;

const proofOfPossession = { publicKey: blsPublicKey, proofOfPossession: blsSignature };
const signer = oneOf({
  27: struct({ type: constant("signer.Empty") }),
  28: struct({ type: constant("signer.ProofOfPossession"), ...proofOfPossession }),
});

const l1Owner = struct({ threshold: u32, addresses: list(shortId) });
const l1Validator = struct({
  nodeId: sizedNodeId,
  weight: u64,
  balance: u64,
  signer: struct(proofOfPossession),
  remainingBalanceOwner: l1Owner,
  deactivationOwner: l1Owner,
});

/** Types and fields are named as in a node's JSON, with `Id` for `ID`. Shares and rates are in millionths. */
const TRANSACTIONS = {
  12: struct({
    txType: constant("AddValidatorTx"),
    ...base,
    validator: struct(validator),
    stake,
    rewardsOwner: owner,
    shares: u32,
    credentials,
  }),
  13: struct({
    txType: constant("AddSubnetValidatorTx"),
    ...base,
    validator: struct({ ...validator, subnetId: id }),
    subnetAuthorization,
    credentials,
  }),
  14: struct({
    txType: constant("AddDelegatorTx"),
    ...base,
    validator: struct(validator),
    stake,
    rewardsOwner: owner,
    credentials,
  }),
  15: struct({
    txType: constant("CreateChainTx"),
    ...base,
    subnetId: id,
    chainName: text,
    vmId: id,
    fxIds: list(id),
    genesisData: blob,
    subnetAuthorization,
    credentials,
  }),
  16: struct({ txType: constant("CreateSubnetTx"), ...base, owner, credentials }),
  17: struct({ txType: constant("ImportTx"), ...base, sourceChain: id, importedInputs: inputs, credentials }),
  18: struct({ txType: constant("ExportTx"), ...base, destinationChain: id, exportedOutputs: outputs, credentials }),
  19: struct({ txType: constant("AdvanceTimeTx"), time: integer, credentials }),
  20: struct({ txType: constant("RewardValidatorTx"), txId: id, credentials }),
  23: struct({
    txType: constant("RemoveSubnetValidatorTx"),
    ...base,
    nodeId: shortId,
    subnetId: id,
    subnetAuthorization,
    credentials,
  }),
  24: struct({
    txType: constant("TransformSubnetTx"),
    ...base,
    subnetId: id,
    assetId: id,
    initialSupply: u64,
    maximumSupply: u64,
    minConsumptionRate: u64,
    maxConsumptionRate: u64,
    minValidatorStake: u64,
    maxValidatorStake: u64,
    minStakeDuration: u32,
    maxStakeDuration: u32,
    minDelegationFee: u32,
    minDelegatorStake: u64,
    maxValidatorWeightFactor: u8,
    uptimeRequirement: u32,
    subnetAuthorization,
    credentials,
  }),
  25: struct({
    txType: constant("AddPermissionlessValidatorTx"),
    ...base,
    validator: struct(validator),
    subnetId: id,
    signer,
    stake,
    validationRewardsOwner: owner,
    delegationRewardsOwner: owner,
    shares: u32,
    credentials,
  }),
  26: struct({
    txType: constant("AddPermissionlessDelegatorTx"),
    ...base,
    validator: struct(validator),
    subnetId: id,
    stake,
    rewardsOwner: owner,
    credentials,
  }),
  33: struct({
    txType: constant("TransferSubnetOwnershipTx"),
    ...base,
    subnetId: id,
    subnetAuthorization,
    newOwner: owner,
    credentials,
  }),
  34: struct({ txType: constant("BaseTx"), ...base, credentials }),
  35: struct({
    txType: constant("ConvertSubnetToL1Tx"),
    ...base,
    subnetId: id,
    chainId: id,
    address: hexBytes,
    validators: list(l1Validator),
    subnetAuthorization,
    credentials,
  }),
  36: struct({
    txType: constant("RegisterL1ValidatorTx"),
    ...base,
    balance: u64,
    proofOfPossession: blsSignature,
    message: blob,
    credentials,
  }),
  37: struct({ txType: constant("SetL1ValidatorWeightTx"), ...base, message: blob, credentials }),
  38: struct({
    txType: constant("IncreaseL1ValidatorBalanceTx"),
    ...base,
    validationId: id,
    balance: u64,
    credentials,
  }),
  39: struct({
    txType: constant("DisableL1ValidatorTx"),
    ...base,
    validationId: id,
    disableAuthorization: authorization,
    credentials,
  }),
  40: struct({
    txType: constant("AddAutoRenewedValidatorTx"),
    ...base,
    nodeId: sizedNodeId,
    signer,
    stake,
    validationRewardsOwner: owner,
    delegationRewardsOwner: owner,
    validatorAuthority: owner,
    delegationShares: u32,
    autoCompoundRewardShares: u32,
    period: integer,
    credentials,
  }),
  41: struct({
    txType: constant("SetAutoRenewedValidatorConfigTx"),
    ...base,
    txId: id,
    auth: authorization,
    autoCompoundRewardShares: u32,
    period: integer,
    credentials,
  }),
  42: struct({ txType: constant("RewardAutoRenewedValidatorTx"), txId: id, timestamp: integer, credentials }),
};

/** A transaction of the P-Chain, without the codec version. */
export const pTransaction = withEncoding(oneOf(TRANSACTIONS));
/** The transactions in a genesis, which create validators and chains. */
export const genesisValidator = withEncoding(oneOf({ 12: TRANSACTIONS[12], 25: TRANSACTIONS[25] }));
export const genesisChain = withEncoding(oneOf({ 15: TRANSACTIONS[15] }));

/** A P-Chain transaction. Ids, addresses, keys, signatures and memo in hex, amounts as bigint, times in seconds. */
export type PTransaction = ValueOf<typeof pTransaction>;
export type PTxType = PTransaction["txType"];
export type PTransactionOf<Type extends PTxType> = Extract<PTransaction, { readonly txType: Type }>;
