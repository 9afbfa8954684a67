import { parseSignature } from "../../bls/signatures.ts";
import type { NodeCertificate } from "../identity/node-certificate.ts";
import { checkAddress } from "../identity/signed-address.ts";
import { ProtocolViolation } from "../protocol-violation.ts";
import { isBloomFilterValid } from "../wire/bloom-filter.ts";
import type { Handshake } from "../wire/handshake.ts";

const MAX_CLOCK_DIFFERENCE_SECONDS = 60;
const MAX_SUBNETS = 16;
const SUBNET_BYTES = 32;

/**
 * Applies the rules by which nodes check one another's handshake (avalanchego: network/peer/peer.go, `handleHandshake`), except
 * those about versions: a client talks to every version. Throws `ProtocolViolation` with the reason.
 */
export function checkHandshake(
  handshake: Handshake,
  certificate: NodeCertificate,
  networkId: number,
  nowSeconds: number,
): void {
  if (handshake.networkId !== networkId)
    throw new ProtocolViolation(`the node belongs to network ${handshake.networkId}, not ${networkId}`);
  const ahead = handshake.timeSeconds - BigInt(nowSeconds);
  if (ahead > MAX_CLOCK_DIFFERENCE_SECONDS || ahead < -MAX_CLOCK_DIFFERENCE_SECONDS)
    throw new ProtocolViolation(`the clock of the node differs by ${ahead} seconds; the limit is 60`);
  checkLists(handshake);
  const { ip, port, signingTimeSeconds: timeSeconds, addressSignature } = handshake;
  const latestSeconds = nowSeconds + MAX_CLOCK_DIFFERENCE_SECONDS;
  checkAddress({ ip, port, timeSeconds }, addressSignature, certificate.publicKey, latestSeconds);
  checkBlsSignature(handshake);
}

/** Checks only the form. Nodes verify this signature only for validators, and this client verifies their answers anyway. */
function checkBlsSignature({ blsSignature }: Handshake): void {
  try {
    parseSignature(blsSignature);
  } catch {
    throw new ProtocolViolation("the BLS signature of the node's address is malformed");
  }
}

function checkLists({ trackedSubnets, knownPeers, client }: Handshake): void {
  if (trackedSubnets.length > MAX_SUBNETS)
    throw new ProtocolViolation(`the node tracks ${trackedSubnets.length} subnets; the limit is ${MAX_SUBNETS}`);
  if (trackedSubnets.some(({ length }) => length !== SUBNET_BYTES))
    throw new ProtocolViolation("the node tracks a subnet whose id does not have 32 bytes");
  if (knownPeers && !isBloomFilterValid(knownPeers))
    throw new ProtocolViolation("the node's filter of known peers is malformed");
  if (!client) throw new ProtocolViolation("the node does not tell its version");
}
