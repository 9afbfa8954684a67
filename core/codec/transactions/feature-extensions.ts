import { constant, hexBytes, id, list, oneOf, secpSignature, shortId, struct, u32, u64 } from "../bytes/layout.ts";

const owners = { locktime: u64, threshold: u32, addresses: list(shortId) };
const signers = { signatureIndices: list(u32) };

/** Owners without a type id. */
export const bareOwners = struct(owners);

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
/** Any output of any chain, with its type id: the ids are the same on all chains. */
export const anyOutput = oneOf({ ...X_OUTPUTS, 22: lockOut });

/** Inputs and outputs that carry an amount of an asset: `transferable` on X and C, `stakeable` (also locked ones) on P. */
export const transferableOutput = struct({ assetId: id, output: oneOf(secpOutputs) });
export const stakeableOutput = struct({ assetId: id, output: oneOf({ ...secpOutputs, 22: lockOut }) });

const spent = { txId: id, outputIndex: u32 };
/** Reference to the output that is spent. */
export const spentOutput = struct(spent);
export const transferableInput = struct({ ...spent, assetId: id, input: oneOf(secpInputs) });
export const stakeableInput = struct({ ...spent, assetId: id, input: oneOf({ ...secpInputs, 21: lockIn }) });

const mintInput = struct(signers);

/** Operation of an OperationTx on the outputs that it spends. */
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

/** The signatures of one input or authorization. */
export const secpCredential = oneOf(secpCredentials);
export const xCredential = oneOf({
  ...secpCredentials,
  14: struct({ type: constant("nftfx.Credential"), signatures }),
  19: struct({ type: constant("propertyfx.Credential"), signatures }),
});

/** Owner of a reward, a subnet or a validator, with its type id. */
export const owner = oneOf({ 11: struct({ type: constant("secp256k1fx.OutputOwners"), ...owners }) });
/** Indexes of the owner's addresses that sign, with its type id. */
export const authorization = oneOf({ 10: struct({ type: constant("secp256k1fx.Input"), ...signers }) });
