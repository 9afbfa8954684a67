import {
  blsPublicKey,
  bool,
  encode,
  id,
  list,
  oneOf,
  parse,
  shortId,
  sizedNodeId,
  struct,
  u32,
  u64,
  type ValueOf,
  variant,
  versioned,
} from "./format.ts";

const owner = struct({ threshold: u32, addresses: list(shortId) });

const l1Message = versioned(
  oneOf({
    0: variant("SubnetToL1Conversion", { conversionId: id }),
    1: variant("RegisterL1Validator", {
      subnetId: id,
      nodeId: sizedNodeId,
      blsPublicKey,
      expiry: u64,
      remainingBalanceOwner: owner,
      disableOwner: owner,
      weight: u64,
    }),
    2: variant("L1ValidatorRegistration", { validationId: id, registered: bool }),
    3: variant("L1ValidatorWeight", { validationId: id, nonce: u64, weight: u64 }),
  }),
);

/**
 * A message between an L1 and the P-Chain (ACP-77), the payload of an addressed call. Ids, keys and addresses in hex, expiry in
 * seconds. Source: avalanchego, vms/platformvm/warp/message.
 */
export type L1Message = ValueOf<typeof l1Message>;
export type L1MessageOf<Type extends L1Message["type"]> = Extract<L1Message, { readonly type: Type }>;

/** Parses an L1 message. Throws `MalformedMessage`. The members need not be valid. */
export function parseL1Message(bytes: Uint8Array): L1Message {
  return parse(l1Message, bytes, "L1 message");
}

/** The bytes of an L1 message. The SHA-256 of a RegisterL1Validator message is the validation id. */
export function encodeL1Message(message: L1Message): Uint8Array {
  return encode(l1Message, message);
}
