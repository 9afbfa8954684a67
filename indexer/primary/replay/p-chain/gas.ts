import type { PTransaction } from "../../../../core/codec/transactions/p-transactions.ts";
import { decodeWarpL1Message } from "../../../../core/codec/transactions/warp.ts";
import type { DynamicFeeRules } from "../../network/rules.ts";

/** How much gas there is, and how much more than the target was used (ACP-103). */
export interface GasState {
  readonly capacity: bigint;
  readonly excess: bigint;
}

/** Reads, writes and microseconds of computing that a type of transaction costs, whatever is in it. */
interface Intrinsic {
  readonly reads: number;
  readonly writes: number;
  readonly compute: number;
}

const SIGNATURE_COMPUTE = 200;
const KEY_PROOF_COMPUTE = 1_050;
const WARP = { reads: 23, compute: 1_000, computePerSigner: 5 };
const CONVERTED_VALIDATOR_WRITES = 4;

const of = (reads: number, writes: number, compute = 0): Intrinsic => ({ reads, writes, compute });

/** The types that may be in a block since Etna, when gas began; those that reward cost none. */
const INTRINSIC: Partial<Record<PTransaction["txType"], Intrinsic>> = {
  BaseTx: of(0, 0),
  ImportTx: of(0, 0),
  ExportTx: of(0, 0),
  CreateSubnetTx: of(0, 1),
  CreateChainTx: of(3, 1),
  AddSubnetValidatorTx: of(3, 3),
  RemoveSubnetValidatorTx: of(1, 3),
  AddPermissionlessValidatorTx: of(1, 3),
  AddPermissionlessDelegatorTx: of(1, 2),
  TransferSubnetOwnershipTx: of(1, 1),
  ConvertSubnetToL1Tx: of(3, 2),
  RegisterL1ValidatorTx: of(5, 6, KEY_PROOF_COMPUTE),
  SetL1ValidatorWeightTx: of(3, 5),
  IncreaseL1ValidatorBalanceTx: of(1, 5),
  DisableL1ValidatorTx: of(1, 6),
  AddAutoRenewedValidatorTx: of(0, 3),
  SetAutoRenewedValidatorConfigTx: of(1, 1),
};

const ONES = /[1-9a-f]/g;
const BITS = (digit: string): number => Number.parseInt(digit, 16).toString(2).replaceAll("0", "").length;

/** The gas that a transaction uses. Its bandwidth is its length, for each signature that it needs is in it. */
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
    const signers = (decodeWarpL1Message(tx.message).signers.match(ONES) ?? []).reduce(
      (sum, one) => sum + BITS(one),
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

/** The state after some seconds in which nothing used gas. */
export function gasAfter(
  { maxCapacity, maxPerSecond, targetPerSecond }: DynamicFeeRules,
  state: GasState,
  seconds: bigint,
) {
  const capacity = state.capacity + maxPerSecond * seconds;
  const excess = state.excess - targetPerSecond * seconds;
  return { capacity: capacity < maxCapacity ? capacity : maxCapacity, excess: excess > 0n ? excess : 0n };
}
