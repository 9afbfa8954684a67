import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";

type Members = Readonly<Record<string, unknown>>;
/** The library's names of virtual machines. */
export type Vm = "PVM" | "AVM" | "EVM";

/** A transaction that the library decoded. */
export interface Thing {
  readonly _type: string;
  toBytes(codec?: unknown): Uint8Array;
}
export interface Kind {
  new (...members: unknown[]): Thing;
  fromBytes(bytes: Uint8Array, codec?: unknown): [Thing, Uint8Array];
}
export type Kinds = Readonly<Record<string, Kind>>;
interface Manager {
  unpack(bytes: Uint8Array, kind: Kind): Thing;
  getDefaultCodec(): { PackPrefix(thing: Thing): Uint8Array };
}

/** The used part of the official JavaScript library. */
export interface OfficialLibrary {
  readonly avaxSerial: Kinds;
  readonly pvmSerial: Kinds & { readonly warp: unknown };
  readonly utils: { getManagerForVM(vm: Vm): Manager };
  readonly secp256k1: {
    publicKeyBytesToAddress(key: Uint8Array): Uint8Array;
    publicKeyToEthAddress(key: Uint8Array): Uint8Array;
  };
  readonly [kind: string]: unknown;
}
interface Warp {
  readonly WarpMessage: Kind;
  readonly AddressedCallPayloads: Kinds;
  getWarpManager(): Manager;
}

/** Its types need another module resolution than this project's, so the compiler must not resolve the name. */
const LIBRARY: string = "@avalabs/avalanchejs";

export async function loadOfficialLibrary(): Promise<OfficialLibrary> {
  return await import(LIBRARY);
}

/** A signed transaction that the library decodes, with our field names. */
export interface OfficialTransaction {
  /** The bytes that it encodes again, without the credentials. */
  readonly unsignedBytes: Uint8Array;
  readonly unsigned: unknown;
  readonly credentials: unknown;
}

export function readOfficially(library: OfficialLibrary, vm: Vm, bytes: Uint8Array): OfficialTransaction {
  const signed = library.utils.getManagerForVM(vm).unpack(bytes, library.avaxSerial["SignedTx"] as Kind);
  const { unsignedTx, credentials } = signed as unknown as { unsignedTx: Thing; credentials: Thing[] };
  return {
    unsignedBytes: writeOfficially(library, vm, unsignedTx),
    unsigned: valuesOf(unsignedOf(unsignedTx)),
    credentials: valuesOf(credentials.map(plain)),
  };
}

/** An unsigned transaction in bytes, after its codec version. */
export function writeOfficially(library: OfficialLibrary, vm: Vm, transaction: Thing): Uint8Array {
  return Buffer.concat([Buffer.alloc(2), library.utils.getManagerForVM(vm).getDefaultCodec().PackPrefix(transaction)]);
}

/** An unspent output that the library decodes, with our field names, and the library's id of it. */
export function readUtxoOfficially(library: OfficialLibrary, vm: Vm, bytes: Uint8Array): { utxo: unknown; id: string } {
  const read = library.utils.getManagerForVM(vm).unpack(bytes, library["Utxo"] as Kind) as Thing & { ID(): string };
  return { utxo: valuesOf(plain(read)), id: read.ID() };
}

const MESSAGES = ["SubnetToL1Conversion", "RegisterL1Validator", "L1ValidatorRegistration", "L1ValidatorWeight"];

/** A warp message of an L1 that the library decodes, with our field names. */
export function readWarpOfficially(library: OfficialLibrary, bytes: Uint8Array): unknown {
  const { WarpMessage, AddressedCallPayloads: kinds, getWarpManager } = library.pvmSerial.warp as Warp;
  const read = (from: unknown, kind: Kind | undefined) =>
    plain(getWarpManager().unpack(Buffer.from(from as string, "hex"), kind as Kind)) as Members;
  const { unsignedMessage, signature } = read(hex(bytes), WarpMessage);
  const { networkId, sourceChainId, payload } = unsignedMessage as Members;
  const { sourceAddress, payload: inside } = read(payload, kinds["AddressedCall"]);
  const type = MESSAGES[Number(`0x${(inside as string).slice(4, 12)}`)];
  const { codecId: _, typeId: __, ...message } = read(inside, kinds[`${type}Message`]);
  const { signers } = signature as Members;
  const messageId = sha256(Buffer.from(inside as string, "hex"));
  return valuesOf({ networkId, sourceChainId, sourceAddress, message: { type, ...message }, messageId, signers });
}

/**
 * A decoded value with numbers as text, because the library has bigints where we have numbers, and bytes in hex.
 */
export function valuesOf(value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (value instanceof Uint8Array) return hex(value);
  if (Array.isArray(value)) return value.map(valuesOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, valuesOf(member)]));
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function unsignedOf(transaction: Thing): Members {
  const txType = transaction._type.replace(/^.*\./, "").replace(/(Tx)?$/, "Tx");
  const members = plain(transaction) as Members;
  if (txType !== "AddSubnetValidatorTx") return { txType, ...members };
  const { validator, ...subnet } = members["validator"] as Members;
  return { txType, ...members, validator: { ...(validator as Members), ...subnet } };
}

type Leaf = Thing & { value(): unknown; readonly bytes: Uint8Array; readonly outputOwners: readonly Thing[] };

const inHex = (leaf: Leaf): unknown => hex(leaf.toBytes());
const value = (leaf: Leaf): unknown => leaf.value();

/** Types that the library wraps and we do not. */
const LEAVES: Readonly<Record<string, (leaf: Leaf) => unknown>> = {
  "common.Id": inHex,
  "common.Address": inHex,
  "common.NodeId": inHex,
  "common.BlsPublicKey": inHex,
  "common.BlsSignature": inHex,
  "secp256k1fx.Signature": inHex,
  "primitives.Bytes": ({ bytes }) => hex(bytes),
  "primitives.Int": value,
  "primitives.BigInt": value,
  "primitives.String": value,
  "primitives.Bool": value,
  "primitives.Byte": (leaf) => leaf.toBytes()[0],
  "secp256k1fx.OutputOwnersList": ({ outputOwners }) => outputOwners.map(plain),
};

/** Fields that the library nests in another object and we do not. */
const INSIDE = "";
/** Our names of fields, where they differ; some for one type only. */
const NAMES: Readonly<Record<string, string>> = {
  baseTx: INSIDE,
  utxoID: INSIDE,
  "avax.Utxo.utxoId": INSIDE,
  outputOwners: INSIDE,
  "pvm.signer.proof": INSIDE,
  "secp256k1fx.TransferInput.input": INSIDE,
  "pvm.AddPermissionlessValidator.subnetValidator": INSIDE,

  "pvm.AddPermissionlessDelegator.subnetValidator": INSIDE,
  "pvm.AddSubnetValidator.subnetValidator": "validator",
  NetworkId: "networkId",
  BlockchainId: "blockchainId",
  txID: "txId",
  outputIdx: "outputIndex",
  subnetID: "subnetId",
  chainID: "chainId",
  vmID: "vmId",
  destination: "destinationChain",
  ins: "importedInputs",
  outs: "exportedOutputs",
  "evm.ExportTx.ins": "evmInputs",
  Outs: "evmOutputs",
  ops: "operations",
  UTXOId: "inputIds",
  transferOp: "operation",
  "avm.InitialState.fxId": "fxIndex",
  amt: "amount",
  addrs: "addresses",
  sigIndices: "signatureIndices",
  startTime: "start",
  endTime: "end",
  lockTime: "locktime",
  transferableInput: "input",
  transferOut: "output",
  outputOwnerList: "outputs",
  "secp256k1fx.MintOperation.input": "mintInput",
  "nftfx.MintOperation.input": "mintInput",
  subnetAuth: "subnetAuthorization",
  disableAuth: "disableAuthorization",
  subnetOwners: "owner",
  "pvm.TransferSubnetOwnershipTx.subnetOwners": "newOwner",
  blsSignature: "proofOfPossession",
  validatorRewardsOwner: "validationRewardsOwner",
  delegatorRewardsOwner: "delegationRewardsOwner",
  "pvm.AddPermissionlessDelegator.delegatorRewardsOwner": "rewardsOwner",
  "pvm.proofOfPossession.signature": "proofOfPossession",
};

/** The codec's names of types, where they differ. */
const TYPES: Readonly<Record<string, string>> = {
  "pvm.StakeableLockIn": "stakeable.LockIn",
  "pvm.StakeableLockOut": "stakeable.LockOut",
  "pvm.signer": "signer.ProofOfPossession",
  "pvm.signerEmpty": "signer.Empty",
};
/** Types that have a type field only after a type id. */
const OFTEN_BARE = ["secp256k1fx.OutputOwners", "secp256k1fx.Input"];
const BEHIND_TYPE_ID = /owner$|subnetOwners|authority|auth$/i;

/** The library's value with our field names. */
function plain(thing: unknown): unknown {
  if (Array.isArray(thing)) return thing.map(plain);
  if (thing instanceof Uint8Array || typeof thing !== "object" || thing === null) return thing;
  const { _type, vm: _, ...members } = thing as Thing & { readonly vm?: string };
  const leaf = LEAVES[_type];
  if (leaf) return leaf(thing as Leaf);
  const named = Object.entries(members).map(([name, member]): Members => {
    if (typeof member === "function") return {};
    const ours = NAMES[`${_type}.${name}`] ?? NAMES[name] ?? name;
    const value = plain(member);
    if (ours === INSIDE) return value as Members;
    const type = (member as Thing | null)?._type ?? "";
    return { [ours]: OFTEN_BARE.includes(type) && BEHIND_TYPE_ID.test(name) ? { type, ...(value as Members) } : value };
  });
  return Object.assign({}, typeOf(_type), ...named);
}

function typeOf(type: string): { type?: string } {
  const isFx = /^(secp256k1|nft)fx\./.test(type) && !OFTEN_BARE.includes(type);
  const ours = TYPES[type] ?? (isFx ? type : undefined);
  return ours === undefined ? {} : { type: ours };
}
