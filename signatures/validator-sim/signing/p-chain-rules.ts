import { createHash } from "node:crypto";
import { encodeCb58 } from "../../../core/formats/cb58.ts";
import { bytesOf, readFields, varintOf } from "../wire/protobuf.ts";
import type { PChainView } from "./ledger.ts";
import { parseOrRefuse, Refusal } from "./refusal.ts";
import { CodecError } from "./unpacker.ts";
import { type L1Message, parseL1Message, parsePayload } from "./warp-messages.ts";

const MAX_UINT64 = 2n ** 64n - 1n;

type State = PChainView["state"];

/**
 * Throws the `Refusal` with which the P-Chain answers, if it does not sign the payload with this justification
 * (avalanchego:vms/platformvm/network/warp.go).
 */
export function checkPChainPayload(view: PChainView, payload: Buffer, justification: Buffer): void {
  const call = parseOrRefuse(1, "failed to parse warp addressed call", () => {
    const parsed = parsePayload(payload);
    if (parsed.type !== "AddressedCall") throw new CodecError(`wrong payload type: *payload.${parsed.type}`);
    return parsed;
  });
  if (call.sourceAddress.length > 0) throw new Refusal(2, "source address should be empty");
  const message = parseOrRefuse(3, "failed to parse warp addressed call payload", () => parseL1Message(call.payload));
  checkL1Message(view, message, justification);
}

function checkL1Message(view: PChainView, message: L1Message, justification: Buffer): void {
  if (message.type === "SubnetToL1Conversion") checkConversion(view.state, message.conversionId, justification);
  else if (message.type === "L1ValidatorWeight") checkWeight(view.state, message);
  else if (message.type === "RegisterL1Validator")
    throw new Refusal(4, `unsupported warp addressed call payload type: *message.${message.type}`);
  else if (message.isRegistered) validatorOf(view.state, message.validationId);
  else checkRemoval(view, message.validationId, justification);
}

function checkConversion({ conversions }: State, conversionId: Buffer, justification: Buffer): void {
  const subnetId = idOrRefuse(5, "failed to parse justification", justification);
  const stored = conversions[subnetId]?.conversionId;
  if (stored === undefined) throw notConverted(subnetId);
  const given = encodeCb58(conversionId);
  if (given !== stored) throw new Refusal(7, `provided conversionID "${given}" != expected conversionID "${stored}"`);
}

function checkWeight(
  state: State,
  { validationId, nonce, weight }: Extract<L1Message, { type: "L1ValidatorWeight" }>,
): void {
  if (nonce === MAX_UINT64) throw new Refusal(15, "impossible nonce");
  const stored = validatorOf(state, validationId);
  if (nonce + 1n !== stored.minNonce)
    throw new Refusal(16, `provided nonce ${nonce} != expected nonce (${stored.minNonce} - 1)`);
  if (weight !== stored.weight) throw new Refusal(17, `provided weight ${weight} != expected weight ${stored.weight}`);
}

function checkRemoval(view: PChainView, validationId: Buffer, justification: Buffer): void {
  const chosen = parseOrRefuse(5, "failed to parse justification", () => {
    const last = readFields(justification).findLast(({ number }) => number === 1 || number === 2);
    return last && { number: last.number, bytes: bytesOf([last], last.number) };
  });
  if (!chosen) throw new Refusal(8, "invalid justification type: <nil>");
  if (chosen.number === 1) checkConversionIndex(view, validationId, chosen.bytes);
  else checkRegistration(view, validationId, chosen.bytes);
}

/** Justified by subnet and index of a conversion: the validator must be absent. */
function checkConversionIndex({ state }: PChainView, validationId: Buffer, bytes: Buffer): void {
  const { subnetId, index } = parseOrRefuse(5, "failed to parse justification", () => parseSubnetAndIndex(bytes));
  const subnet = idOrRefuse(9, "failed to parse subnetID", subnetId);
  checkSameId(validationId, sha256(Buffer.concat([subnetId, index])));
  if (!state.conversions[subnet]) throw notConverted(subnet);
  checkAbsent(state, validationId);
}

function parseSubnetAndIndex(bytes: Buffer): { readonly subnetId: Buffer; readonly index: Buffer } {
  const fields = readFields(bytes);
  const index = Buffer.alloc(4);
  index.writeUInt32BE(Number(BigInt.asUintN(32, varintOf(fields, 2))));
  return { subnetId: bytesOf(fields, 1), index };
}

/** Justified by a RegisterL1Validator message: the validator must be absent, and impossible to register (again). */
function checkRegistration({ state, timeSeconds }: PChainView, validationId: Buffer, bytes: Buffer): void {
  const message = parseOrRefuse(13, "failed to parse RegisterL1Validator justification", () => {
    const parsed = parseL1Message(bytes);
    if (parsed.type !== "RegisterL1Validator") throw new CodecError(`wrong payload type: *message.${parsed.type}`);
    return parsed;
  });
  checkSameId(validationId, sha256(bytes));
  checkAbsent(state, validationId);
  const id = encodeCb58(validationId);
  if (message.expiry > timeSeconds && !state.expiries.includes(id))
    throw new Refusal(14, `validation "${id}" can be registered until ${message.expiry}`);
}

function validatorOf({ l1Validators }: State, validationId: Buffer) {
  const id = encodeCb58(validationId);
  const validator = l1Validators[id];
  if (!validator) throw new Refusal(11, `validation "${id}" does not exist`);
  return validator;
}

function checkAbsent({ l1Validators }: State, validationId: Buffer): void {
  const id = encodeCb58(validationId);
  if (l1Validators[id]) throw new Refusal(12, `validation "${id}" exists`);
}

function checkSameId(validationId: Buffer, justified: Buffer): void {
  if (!validationId.equals(justified))
    throw new Refusal(10, `validationID "${encodeCb58(validationId)}" != justificationID "${encodeCb58(justified)}"`);
}

function idOrRefuse(code: number, prefix: string, bytes: Buffer): string {
  if (bytes.length !== 32)
    throw new Refusal(code, `${prefix}: invalid hash length: expected 32 bytes but got ${bytes.length}`);
  return encodeCb58(bytes);
}

function notConverted(subnetId: string): Refusal {
  return new Refusal(6, `subnet "${subnetId}" has not been converted`);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
