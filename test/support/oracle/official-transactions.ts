import type { Kind, OfficialLibrary, Thing } from "./official-library.ts";

/**
 * Types of the P-Chain transactions that `makeLacking` builds. Of these, the recording alpha has only AddPermissionlessValidatorTx.
 */
export const LACKING = [
  "AddValidatorTx",
  "AddDelegatorTx",
  "AdvanceTimeTx",
  "TransformSubnetTx",
  "AddPermissionlessValidatorTx",
  "AddAutoRenewedValidatorTx",
  "SetAutoRenewedValidatorConfigTx",
  "RewardAutoRenewedValidatorTx",
];

/** Unsigned transactions of those types, with a different value in every number except times; key and proof must be valid. */
export function makeLacking(library: OfficialLibrary, key: Uint8Array, proof: Uint8Array): Thing[] {
  const { u8, u32, u64, id, nodeId, owner, input, output, base } = createParts(library);
  const { pvmSerial } = library;
  const validator = () => make(pvmSerial["Validator"], nodeId(), u64(), seconds(library), u64());
  const subnetValidator = () => make(pvmSerial["SubnetValidator"], validator(), id());
  const signer = make(pvmSerial["Signer"], make(pvmSerial["ProofOfPossession"], key, proof));
  const amounts = Array.from({ length: 6 }, u64);
  const members: Readonly<Record<string, () => readonly unknown[]>> = {
    AddValidatorTx: () => [base(), validator(), [output()], owner(), u32()],
    AddDelegatorTx: () => [base(), validator(), [output()], owner()],
    AdvanceTimeTx: () => [seconds(library)],
    TransformSubnetTx: () => [base(), id(), id(), ...amounts, u32(), u32(), u32(), u64(), u8(), u32(), input()],
    AddPermissionlessValidatorTx: () => [
      base(),
      subnetValidator(),
      make(pvmSerial["SignerEmpty"]),
      [output()],
      owner(),
      owner(),
      u32(),
    ],
    AddAutoRenewedValidatorTx: () => [
      base(),
      nodeId(),
      signer,
      [output()],
      owner(),
      owner(),
      owner(),
      u32(),
      u32(),
      seconds(library),
    ],
    SetAutoRenewedValidatorConfigTx: () => [base(), id(), input(), u32(), seconds(library)],
    RewardAutoRenewedValidatorTx: () => [id(), seconds(library)],
  };
  return LACKING.map((type) => make(pvmSerial[type], ...(members[type]?.() ?? [])));
}

const make = (kind: unknown, ...members: unknown[]): Thing => new (kind as Kind)(...members);

/** A number of seconds, which decoders read as a JavaScript number and not as a bigint. */
const seconds = (library: OfficialLibrary): Thing => make(library["BigIntPr"], 1_700_000_000n);

/** Parts of transactions. */
function createParts(library: OfficialLibrary) {
  const { avaxSerial, pvmSerial } = library;
  let last = 0;
  const next = (): number => ++last;
  const filled = (length: number): Uint8Array => Buffer.alloc(length, next());
  const u32 = () => make(library["Int"], next());
  const u64 = () => make(library["BigIntPr"], BigInt(next()) << 55n);
  const id = () => make(library["Id"], filled(32));
  const addresses = () => [make(library["Address"], filled(20)), make(library["Address"], filled(20))];
  const owner = () => make(library["OutputOwners"], u64(), u32(), addresses());
  const input = () => make(library["Input"], [u32(), u32()]);
  const output = () => {
    const inside = make(library["TransferOutput"], u64(), owner());
    return make(avaxSerial["TransferableOutput"], id(), make(pvmSerial["StakeableLockOut"], u64(), inside));
  };
  const spending = () => {
    const inside = make(library["TransferInput"], u64(), input());
    const locked = make(pvmSerial["StakeableLockIn"], u64(), inside);
    return make(avaxSerial["TransferableInput"], make(avaxSerial["UTXOID"], id(), u32()), id(), locked);
  };
  const memo = make(library["Bytes"], Buffer.from("memo"));
  return {
    u32,
    u64,
    id,
    owner,
    input,
    output,
    u8: () => make(library["Byte"], filled(1)),
    nodeId: () => make(library["NodeId"], filled(20)),
    base: () => make(avaxSerial["BaseTx"], u32(), id(), [output(), output()], [spending()], memo),
  };
}
