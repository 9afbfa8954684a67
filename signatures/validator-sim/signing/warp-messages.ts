import { type Unpacker, unpack, unpackTyped } from "./unpacker.ts";

/** Formats of avalanchego:vms/platformvm/warp, its payload and message packages. */
export interface UnsignedMessage {
  readonly networkId: number;
  readonly sourceChainId: Buffer;
  readonly payload: Buffer;
}

export function parseUnsignedMessage(bytes: Buffer): UnsignedMessage {
  return unpack(bytes, (from) => ({
    networkId: from.uint32(),
    sourceChainId: from.fixed(32),
    payload: from.bytes(),
  }));
}

export type WarpPayload =
  | { readonly type: "Hash"; readonly hash: Buffer }
  | { readonly type: "AddressedCall"; readonly sourceAddress: Buffer; readonly payload: Buffer };

export function parsePayload(bytes: Buffer): WarpPayload {
  return unpackTyped<WarpPayload>(bytes, {
    0: (from) => ({ type: "Hash", hash: from.fixed(32) }),
    1: (from) => ({ type: "AddressedCall", sourceAddress: from.bytes(), payload: from.bytes() }),
  });
}

export type L1Message =
  | { readonly type: "SubnetToL1Conversion"; readonly conversionId: Buffer }
  | { readonly type: "RegisterL1Validator"; readonly expiry: bigint }
  | { readonly type: "L1ValidatorRegistration"; readonly validationId: Buffer; readonly isRegistered: boolean }
  | {
      readonly type: "L1ValidatorWeight";
      readonly validationId: Buffer;
      readonly nonce: bigint;
      readonly weight: bigint;
    };

export function parseL1Message(bytes: Buffer): L1Message {
  return unpackTyped<L1Message>(bytes, {
    0: (from) => ({ type: "SubnetToL1Conversion", conversionId: from.fixed(32) }),
    1: (from) => ({ type: "RegisterL1Validator", expiry: expiryOf(from) }),
    2: (from) => ({ type: "L1ValidatorRegistration", validationId: from.fixed(32), isRegistered: from.boolean() }),
    3: (from) => ({
      type: "L1ValidatorWeight",
      validationId: from.fixed(32),
      nonce: from.uint64(),
      weight: from.uint64(),
    }),
  });
}

/** Reads a whole RegisterL1Validator, of which only the expiry matters here. */
function expiryOf(from: Unpacker): bigint {
  from.fixed(32); // subnet
  from.bytes(); // node
  from.fixed(48); // BLS key
  const expiry = from.uint64();
  readOwner(from);
  readOwner(from);
  from.uint64(); // weight
  return expiry;
}

function readOwner(from: Unpacker): void {
  from.uint32(); // threshold
  const count = from.uint32();
  for (let index = 0; index < count; index++) from.fixed(20);
}

/** ValidatorUptime of subnet-evm (avalanchego:graft/subnet-evm/warp/messages), a codec of its own. */
export function parseValidatorUptime(bytes: Buffer): { readonly validationId: Buffer; readonly seconds: bigint } {
  return unpackTyped(bytes, { 0: (from) => ({ validationId: from.fixed(32), seconds: from.uint64() }) });
}
