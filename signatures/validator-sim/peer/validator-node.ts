import type { NodeConfig } from "../config.ts";
import { createFaultSwitch, type FaultSwitch } from "../faults.ts";
import { type BlsKey, blsKeyOf, createBlsKey } from "../identity/bls-key.ts";
import { p256Identity, pemIdentity, rsaIdentity, type TlsIdentity } from "../identity/tls-identity.ts";
import type { SignedAddress } from "../wire/messages.ts";
import { addressToSign } from "./handshake-rules.ts";
import { createViolations, type Violations } from "./violations.ts";

/** Stands for an older message of a node that has signed no other. */
export const NEVER_SENT = Buffer.from("a message that nobody asked for");
export const LOOPBACK = Buffer.from([127, 0, 0, 1]);

/** One validator: its keys, its faults, and what peers did to it. */
export interface ValidatorNode {
  readonly name: string;
  readonly config: NodeConfig;
  /** The node id that the population names. A certificate may be of another one. */
  readonly nodeId: string;
  readonly identity: TlsIdentity;
  readonly blsKey: BlsKey;
  readonly faults: FaultSwitch;
  readonly violations: Violations;
  /** The message that the node has signed last. */
  lastMessage: Buffer;
  /** Port on which the node listens for peers; 0 until it listens. */
  port: number;
  requests: number;
  /** A BLS key that belongs to no validator. */
  strangerKey(): BlsKey;
  /** A point of the signatures' group that is the same for all nodes of a seed. */
  sharedPoint(): Buffer;
  signedAddress(): SignedAddress;
  /** BLS signature over the signed address. */
  addressProof(): Buffer;
}

export interface NodeOptions {
  readonly seed: string;
  readonly config: NodeConfig;
  readonly index: number;
  /** Configuration of all nodes, where shared keys are looked up. */
  readonly all: readonly NodeConfig[];
  readonly startSeconds: number;
  readonly addressProof: "possession" | "point";
}

export function createValidatorNode({
  seed,
  config,
  index,
  all,
  startSeconds,
  addressProof,
}: NodeOptions): ValidatorNode {
  const name = nameOf(config, index);
  const faults = createFaultSwitch(config.faults);
  const identity = identityOf(seed, name, config);
  const presented = faults.of("wrong-certificate") ? p256Identity(seed, `${name}/other`) : identity;
  const timestamp = BigInt(Math.floor(startSeconds));
  const kept = new Map<string, unknown>();
  const once = <Value>(key: string, make: () => Value): Value => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key) as Value; // only this key's `make` writes it
  };
  const node: ValidatorNode = {
    name,
    config,
    nodeId: config.nodeId ?? identity.nodeId,
    identity: presented,
    blsKey: blsKeyFor(seed, config, index, all),
    faults,
    violations: createViolations(),
    lastMessage: NEVER_SENT,
    port: 0,
    requests: 0,
    strangerKey: () => once("stranger", () => blsKeyOf(seed, `stranger:${name}`)),
    sharedPoint: () => once("point", () => blsKeyOf(seed, "shared point").sign(Buffer.from("shift"))),
    signedAddress: () =>
      once(`address:${node.port}`, () => {
        const signature = presented.sign(addressToSign(LOOPBACK, node.port, timestamp));
        return { certificate: presented.certificate, address: LOOPBACK, port: node.port, timestamp, signature };
      }),
    addressProof: () =>
      once(`proof:${node.port}`, () => {
        const signed = addressToSign(LOOPBACK, node.port, timestamp);
        return addressProof === "possession" ? node.blsKey.signPossession(signed) : node.blsKey.sign(signed);
      }),
  };
  return node;
}

function nameOf({ name }: NodeConfig, index: number): string {
  return name ?? `node${index + 1}`;
}

function identityOf(seed: string, name: string, { tls, certificate }: NodeConfig): TlsIdentity {
  if (tls) return pemIdentity(tls.key, tls.certificate);
  return certificate === "rsa4096" ? rsaIdentity(seed, name) : p256Identity(seed, name);
}

function blsKeyFor(seed: string, config: NodeConfig, index: number, all: readonly NodeConfig[]): BlsKey {
  const { keyOf, blsSecret, blsName } = config;
  if (keyOf !== undefined) {
    const owner = all[keyOf];
    if (!owner || owner.keyOf !== undefined) throw new Error(`nodes[${index}].keyOf: ${keyOf} has no key of its own`);
    return blsKeyFor(seed, owner, keyOf, all);
  }
  return blsSecret ? createBlsKey(blsSecret) : blsKeyOf(seed, blsName ?? nameOf(config, index));
}
