import type { PTransaction } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import { decodeWarpL1Message } from "../../decode/warp.ts";
import type { DynamicFeeRules } from "../../network/rules.ts";

/** Gas that is available, and gas that was used in excess of the target (ACP-103). */
export interface GasState {
  readonly capacity: bigint;
  readonly excess: bigint;
}

/** Fixed cost of a type of transaction: database reads and writes, and compute in microseconds. */
interface Intrinsic {
  readonly reads: number;
  readonly writes: number;
  readonly compute: number;
}

const SIGNATURE_COMPUTE = 200;
const KEY_PROOF_COMPUTE = 1_050;
const WARP = { reads: 23, compute: 1_000, computePerSigner: 5 };
const CONVERTED_VALIDATOR_WRITES = 4;

const costs = (reads: number, writes: number, compute = 0): Intrinsic => ({ reads, writes, compute });

/** The types that blocks may contain from Etna on, when gas was introduced. Rewarding transactions use no gas. */
const INTRINSIC: Partial<Record<PTransaction["txType"], Intrinsic>> = {
  BaseTx: costs(0, 0),
  ImportTx: costs(0, 0),
  ExportTx: costs(0, 0),
  CreateSubnetTx: costs(0, 1),
  CreateChainTx: costs(3, 1),
  AddSubnetValidatorTx: costs(3, 3),
  RemoveSubnetValidatorTx: costs(1, 3),
  AddPermissionlessValidatorTx: costs(1, 3),
  AddPermissionlessDelegatorTx: costs(1, 2),
  TransferSubnetOwnershipTx: costs(1, 1),
  ConvertSubnetToL1Tx: costs(3, 2),
  RegisterL1ValidatorTx: costs(5, 6, KEY_PROOF_COMPUTE),
  SetL1ValidatorWeightTx: costs(3, 5),
  IncreaseL1ValidatorBalanceTx: costs(1, 5),
  DisableL1ValidatorTx: costs(1, 6),
  AddAutoRenewedValidatorTx: costs(0, 3),
  SetAutoRenewedValidatorConfigTx: costs(1, 1),
};

const NONZERO_DIGIT = /[1-9a-f]/g;
const bitsIn = (digit: string): number => Number.parseInt(digit, 16).toString(2).replaceAll("0", "").length;

/** The gas that a transaction uses. Its bandwidth is its size in bytes, which includes all signatures. */
export function gasOf({ weights }: Pick<DynamicFeeRules, "weights">, tx: PTransaction): bigint {
  const intrinsic = INTRINSIC[tx.txType];
  if (!intrinsic) return 0n;
  let { reads, writes, compute } = intrinsic;
  const inputs = [...("inputs" in tx ? tx.inputs : []), ...("importedInputs" in tx ? tx.importedInputs : [])].length;
  reads += inputs;
  writes += inputs;
  for (const part of ["outputs", "stake", "exportedOutputs"] as const)
    if (part in tx) writes += (tx as unknown as Record<typeof part, readonly unknown[]>)[part].length;
  for (const { signatures } of tx.credentials) compute += signatures.length * SIGNATURE_COMPUTE;
  if ("signer" in tx && "publicKey" in tx.signer) compute += KEY_PROOF_COMPUTE;
  if (tx.txType === "ConvertSubnetToL1Tx") {
    writes += tx.validators.length * CONVERTED_VALIDATOR_WRITES;
    compute += tx.validators.length * KEY_PROOF_COMPUTE;
  }
  if ("message" in tx) {
    const signers = (decodeWarpL1Message(tx.message).signers.match(NONZERO_DIGIT) ?? []).reduce(
      (sum, one) => sum + bitsIn(one),
      0,
    );
    reads += WARP.reads;
    compute += WARP.compute + signers * WARP.computePerSigner;
  }
  return (
    weights.bandwidth * BigInt(tx.size) +
    weights.dbRead * BigInt(reads) +
    weights.dbWrite * BigInt(writes) +
    weights.compute * BigInt(compute)
  );
}

/** The gas state after that many seconds without transactions. */
export function gasAfter(
  { maxCapacity, maxPerSecond, targetPerSecond }: DynamicFeeRules,
  state: GasState,
  seconds: bigint,
) {
  const capacity = state.capacity + maxPerSecond * seconds;
  const excess = state.excess - targetPerSecond * seconds;
  return { capacity: capacity < maxCapacity ? capacity : maxCapacity, excess: excess > 0n ? excess : 0n };
}
