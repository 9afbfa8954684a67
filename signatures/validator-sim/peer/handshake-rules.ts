import { verify, X509Certificate } from "node:crypto";
import { isPossessionSignature, isSignaturePoint } from "../identity/bls-key.ts";
import type { BloomFilter, ClientVersion, Handshake } from "../wire/messages.ts";
import type { Rule } from "./violations.ts";

const MAX_CLOCK_DIFFERENCE_SECONDS = 60;
const MAX_TRACKED_SUBNETS = 16;
const MAX_BLOOM_HASHES = 16;
const MAX_SALT_BYTES = 32;

/** What a node compares a Handshake with. */
export interface HandshakeContext {
  readonly networkId: number;
  readonly nowSeconds: number;
  /** The peer's TLS certificate in DER. */
  readonly certificate: Buffer;
  readonly version: readonly number[];
  readonly minimumVersion: readonly number[];
  /** The BLS key of the peer, if it is a validator that has one; then its proof is checked. */
  readonly validatorKey: Buffer | null;
}

/** The first rule that a Handshake breaks; null if a node accepts it (avalanchego:network/peer/peer.go, handleHandshake). */
export function brokenHandshakeRule(handshake: Handshake, context: HandshakeContext): Rule | null {
  const { networkId, nowSeconds } = context;
  if (handshake.networkId !== BigInt(networkId)) return "network-id";
  if (Math.abs(Number(handshake.timeSeconds) - nowSeconds) > MAX_CLOCK_DIFFERENCE_SECONDS) return "time";
  if (!isAcceptedVersion(handshake.client, context)) return "client-version";
  if (handshake.trackedSubnets.length > MAX_TRACKED_SUBNETS) return "tracked-subnets";
  if (handshake.trackedSubnets.some((subnet) => subnet.length !== 32)) return "tracked-subnets";
  if (handshake.knownPeers && !isFilter(handshake.knownPeers)) return "known-peers";
  if (handshake.address.length !== 4 && handshake.address.length !== 16) return "address";
  if (handshake.port === 0n || handshake.port > 65_535n) return "port";
  if (Number(handshake.signingTimeSeconds) - nowSeconds > MAX_CLOCK_DIFFERENCE_SECONDS) return "signing-time";
  return brokenSignatureRule(handshake, context);
}

function brokenSignatureRule(handshake: Handshake, { certificate, validatorKey }: HandshakeContext): Rule | null {
  const { address, port, signingTimeSeconds, nodeSignature, blsSignature } = handshake;
  const signed = addressToSign(address, Number(port), signingTimeSeconds);
  const { publicKey } = new X509Certificate(certificate);
  if (!verify("sha256", signed, publicKey, nodeSignature)) return "address-signature";
  if (!isSignaturePoint(blsSignature)) return "address-proof";
  return validatorKey && !isPossessionSignature(validatorKey, signed, blsSignature) ? "address-proof" : null;
}

/** The 26 bytes that a node signs: address as IPv6, port, time. */
export function addressToSign(address: Uint8Array, port: number, timeSeconds: bigint): Buffer {
  const mapped = address.length === 4 ? [Buffer.from("00000000000000000000ffff", "hex"), address] : [address];
  const rest = Buffer.alloc(10);
  rest.writeUInt16BE(port);
  rest.writeBigUInt64BE(timeSeconds, 2);
  return Buffer.concat([...mapped, rest]);
}

function isAcceptedVersion(client: ClientVersion | null, { version, minimumVersion }: HandshakeContext): boolean {
  if (!client || client.major > BigInt(version[0] ?? 0)) return false;
  const parts = [client.major, client.minor, client.patch];
  const difference = parts
    .map((part, index) => part - BigInt(minimumVersion[index] ?? 0))
    .find((distance) => distance !== 0n);
  return (difference ?? 0n) >= 0n;
}

/** True for a bloom filter as nodes read it: number of hashes, a seed of eight bytes for each, at least one byte of bits. */
export function isFilter({ filter, salt }: BloomFilter): boolean {
  const hashes = filter[0] ?? 0;
  return hashes >= 1 && hashes <= MAX_BLOOM_HASHES && filter.length >= 2 + 8 * hashes && salt.length <= MAX_SALT_BYTES;
}
