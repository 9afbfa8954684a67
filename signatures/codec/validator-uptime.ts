import { encode, id, oneOf, parse, u64, type ValueOf, variant, versioned } from "./format.ts";

const uptimeMessage = versioned(oneOf({ 0: variant("ValidatorUptime", { validationId: id, uptimeSeconds: u64 }) }));

/**
 * A message of an L1 about the uptime of one of its validators, the payload of an addressed call without source address. Its
 * type id is also that of SubnetToL1Conversion, so only the source chain tells them apart. Source: subnet-evm, warp/messages.
 */
export type ValidatorUptime = ValueOf<typeof uptimeMessage>;

/** Parses a ValidatorUptime message. Throws `MalformedMessage`. */
export function parseValidatorUptime(bytes: Uint8Array): ValidatorUptime {
  return parse(uptimeMessage, bytes, "uptime message");
}

/** The bytes of a ValidatorUptime message. */
export function encodeValidatorUptime(message: ValidatorUptime): Uint8Array {
  return encode(uptimeMessage, message);
}
