import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { messageOf } from "../../core/errors/errors.ts";
import { conversionValidationId, sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import { parseL1Message } from "./l1-message.ts";
import { MalformedMessage } from "./malformed-message.ts";

/**
 * Where a validation id comes from: a validator of a conversion (subnet id in hex, position in the transaction), or the bytes of
 * the RegisterL1Validator message.
 */
export type ValidationOrigin =
  | { readonly type: "conversion"; readonly subnetId: string; readonly index: number }
  | { readonly type: "registration"; readonly message: Uint8Array };

/**
 * What P-Chain nodes need beside a message to check it: the subnet of a SubnetToL1Conversion, or the origin of the validation
 * that an L1ValidatorRegistration says is not registered. Source: avalanchego, vms/platformvm/network/warp.go.
 */
export type Justification = { readonly type: "subnet"; readonly subnetId: string } | ValidationOrigin;

const SUBNET_ID_BYTES = 32;

/** Fields of `L1ValidatorRegistrationJustification` and `SubnetIDIndex` in avalanchego's platformvm.proto. */
const CONVERSION = 1;
const REGISTRATION = 2;
const SUBNET_ID = 1;
const INDEX = 2;

/** Parses a justification. Throws `MalformedMessage`. 32 bytes are a subnet id: no origin of a validation has this length. */
export function parseJustification(bytes: Uint8Array): Justification {
  if (bytes.length === SUBNET_ID_BYTES) return { type: "subnet", subnetId: hexOf(bytes) };
  const origins = originFields(bytes).flatMap((field): ValidationOrigin[] => {
    if (field.number === CONVERSION && field.bytes) return [parseConversionOrigin(field.bytes)];
    if (field.number === REGISTRATION && field.bytes) return [{ type: "registration", message: field.bytes }];
    return [];
  });
  const [origin, ...others] = origins;
  if (!origin) throw neither(bytes, "it names no validator of a conversion and no registration");
  if (others.length > 0) throw new MalformedMessage("justification names more than one origin of the validation");
  if (origin.type === "registration") checkRegistration(origin.message);
  return origin;
}

/** Fields of the protobuf form. The text of a failure names both forms: other lengths than 32 bytes may be a mistaken subnet id. */
function originFields(bytes: Uint8Array): Field[] {
  try {
    return fieldsOf(bytes, "justification");
  } catch (error) {
    throw neither(bytes, messageOf(error));
  }
}

function neither({ length }: Uint8Array, problem: string): MalformedMessage {
  const expected = "expected a subnet id of 32 bytes, or protobuf with the origin of a validation";
  return new MalformedMessage(`${expected}; the justification has ${length} bytes: ${problem}`);
}

/** The bytes of a justification, as avalanchego encodes them. */
export function encodeJustification(justification: Justification): Uint8Array {
  if (justification.type === "subnet") return Buffer.from(justification.subnetId, "hex");
  const writer = new BinaryWriter();
  if (justification.type === "registration")
    return writer.tag(REGISTRATION, WireType.LengthDelimited).bytes(justification.message).finish();
  writer.tag(CONVERSION, WireType.LengthDelimited).fork();
  writer.tag(SUBNET_ID, WireType.LengthDelimited).bytes(Buffer.from(justification.subnetId, "hex"));
  // proto3 leaves out zeros.
  if (justification.index !== 0) writer.tag(INDEX, WireType.Varint).uint32(justification.index);
  return writer.join().finish();
}

/** The validation id of an origin, in hex. */
export function validationIdOf(origin: ValidationOrigin): string {
  return origin.type === "conversion" ? conversionValidationId(origin.subnetId, origin.index) : sha256(origin.message);
}

function parseConversionOrigin(bytes: Uint8Array): ValidationOrigin {
  let subnetId: Uint8Array = Buffer.alloc(0);
  let index = 0;
  for (const field of fieldsOf(bytes, "conversion in a justification")) {
    if (field.number === SUBNET_ID && field.bytes) subnetId = field.bytes;
    if (field.number === INDEX && field.uint32 !== null) index = field.uint32;
  }
  if (subnetId.length !== SUBNET_ID_BYTES)
    throw new MalformedMessage(`the subnet id in a justification must have 32 bytes, got ${subnetId.length}`);
  return { type: "conversion", subnetId: hexOf(subnetId), index };
}

function checkRegistration(message: Uint8Array): void {
  const { type } = parseL1Message(message);
  if (type !== "RegisterL1Validator")
    throw new MalformedMessage(`the message in a justification is ${type}, not RegisterL1Validator`);
}

interface Field {
  readonly number: number;
  /** Null unless the field has a length. */
  readonly bytes: Uint8Array | null;
  /** Null unless the field is a varint. */
  readonly uint32: number | null;
}

/** The fields of a protobuf message, in their order. Throws `MalformedMessage`. */
function fieldsOf(bytes: Uint8Array, what: string): Field[] {
  const reader = new BinaryReader(bytes);
  const fields: Field[] = [];
  try {
    while (reader.pos < reader.len) fields.push(nextField(reader));
  } catch (error) {
    throw new MalformedMessage(
      `${what} at byte ${Math.min(reader.pos, reader.len)} is not protobuf: ${messageOf(error)}`,
    );
  }
  return fields;
}

function nextField(reader: BinaryReader): Field {
  const [number, wireType] = reader.tag();
  if (wireType === WireType.LengthDelimited) return { number, bytes: reader.bytes(), uint32: null };
  if (wireType === WireType.Varint) return { number, bytes: null, uint32: reader.uint32() };
  reader.skip(wireType, number);
  return { number, bytes: null, uint32: null };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
