import { constant, hexBytes, id, list, oneOf, secpSignature, shortId, struct, u32, u64 } from "../bytes/layout.ts";

const owners = { locktime: u64, threshold: u32, addresses: list(shortId) };
const signers = { signatureIndices: list(u32) };

/** Owners of an output, without a type id before them. */
const bareOwners = struct(owners);

const secpTransferOutput = struct({ type: constant("secp256k1fx.TransferOutput"), amount: u64, ...owners });
const secpMintOutput = struct({ type: constant("secp256k1fx.MintOutput"), ...owners });
const nftMintOutput = struct({ type: constant("nftfx.MintOutput"), groupId: u32, ...owners });
const nftTransferOutput = struct({
  type: constant("nftfx.TransferOutput"),
  groupId: u32,
  payload: hexBytes,
  ...owners,
});
const propertyMintOutput = struct({ type: constant("propertyfx.MintOutput"), ...owners });
const propertyOwnedOutput = struct({ type: constant("propertyfx.OwnedOutput"), ...owners });

const secpOutputs = { 7: secpTransferOutput };
/** An output that is locked until `locktime` except for staking. Locks cannot be nested. */
const lockOut = struct({ type: constant("stakeable.LockOut"), locktime: u64, output: oneOf(secpOutputs) });

const X_OUTPUTS = {
  6: secpMintOutput,
  7: secpTransferOutput,
  10: nftMintOutput,
  11: nftTransferOutput,
  15: propertyMintOutput,
  16: propertyOwnedOutput,
};

const secpInputs = { 5: struct({ type: constant("secp256k1fx.TransferInput"), amount: u64, ...signers }) };
const lockIn = struct({ type: constant("stakeable.LockIn"), locktime: u64, input: oneOf(secpInputs) });

/** Any output of the X-Chain, with its type id. */
export const xOutput = oneOf(X_OUTPUTS);
/** Any output of any chain, with its type id. The type ids are the same on all chains. */
export const anyOutput = oneOf({ ...X_OUTPUTS, 22: lockOut });

/**
 * An output with an amount of an asset: `transferableOutput` on X and C, `stakeableOutput` on P, which may have a stakeable
 * lock.
 */
export const transferableOutput = struct({ assetId: id, output: oneOf(secpOutputs) });
export const stakeableOutput = struct({ assetId: id, output: oneOf({ ...secpOutputs, 22: lockOut }) });

const spent = { txId: id, outputIndex: u32 };
/** Reference to the output that is spent. */
export const spentOutput = struct(spent);
export const transferableInput = struct({ ...spent, assetId: id, input: oneOf(secpInputs) });
export const stakeableInput = struct({ ...spent, assetId: id, input: oneOf({ ...secpInputs, 21: lockIn }) });

const mintInput = struct(signers);

/** An operation of an OperationTx. */
export const operation = oneOf({
  8: struct({
    type: constant("secp256k1fx.MintOperation"),
    mintInput,
    mintOutput: secpMintOutput,
    transferOutput: secpTransferOutput,
  }),
  12: struct({
    type: constant("nftfx.MintOperation"),
    mintInput,
    groupId: u32,
    payload: hexBytes,
    outputs: list(bareOwners),
  }),
  13: struct({ type: constant("nftfx.TransferOperation"), input: struct(signers), output: nftTransferOutput }),
  17: struct({
    type: constant("propertyfx.MintOperation"),
    mintInput,
    mintOutput: propertyMintOutput,
    ownedOutput: propertyOwnedOutput,
  }),
  18: struct({ type: constant("propertyfx.BurnOperation"), ...signers }),
});

const signatures = list(secpSignature);
const secpCredentials = { 9: struct({ type: constant("secp256k1fx.Credential"), signatures }) };

/** The signatures for one input or one authorization. */
export const secpCredential = oneOf(secpCredentials);
export const xCredential = oneOf({
  ...secpCredentials,
  14: struct({ type: constant("nftfx.Credential"), signatures }),
  19: struct({ type: constant("propertyfx.Credential"), signatures }),
});

/** Owner of a reward, a subnet or a validator, with its type id. */
export const owner = oneOf({ 11: struct({ type: constant("secp256k1fx.OutputOwners"), ...owners }) });
/** Indexes of the owner's addresses that sign, with their type id. */
export const authorization = oneOf({ 10: struct({ type: constant("secp256k1fx.Input"), ...signers }) });
