import { z } from "zod";
import { parseId } from "../../core/formats/cb58.ts";
import { faultSchema } from "./faults.ts";
import { nodeIdBytes } from "./identity/node-id.ts";

/** The primary network and the P-Chain: 32 zero bytes. */
export const EMPTY_ID = "11111111111111111111111111111111LpoYY";

const id = z.string().transform((text, context) => {
  const parsed = parseId(text);
  if (parsed === null) context.addIssue({ code: "custom", message: "must be an id in CB58 or 64 hex digits" });
  return parsed ?? "";
});
const bytes = z
  .string()
  .regex(/^(0x)?([0-9a-f]{2})*$/i, "must be hex digits")
  .transform((text) => Buffer.from(text.replace(/^0x/i, ""), "hex"));
const unsigned = z
  .union([z.string().regex(/^\d+$/, "must be a whole number"), z.int().nonnegative()])
  .transform((value) => BigInt(value));
const nodeId = z.string().refine((text) => nodeIdBytes(text) !== null, "must be a node id");

const node = z.strictObject({
  /** Keys and certificate follow from the seed and this name. Default: `node1`, `node2`, and so on. */
  name: z.string().optional(),
  weight: unsigned.default(1n),
  /** Index of another node whose BLS key this node shares. */
  keyOf: z.int().nonnegative().optional(),
  /** The validator set shows no key for this node. */
  noKey: z.boolean().default(false),
  /** What the node validates; `weight` is the default weight. */
  subnets: z
    .array(
      z.union([
        id.transform((subnetId) => ({ subnetId, weight: undefined })),
        z.strictObject({ subnetId: id, weight: unsigned }),
      ]),
    )
    .default([{ subnetId: EMPTY_ID, weight: undefined }]),
  certificate: z.enum(["p256", "rsa4096"]).default("p256"),
  /** PEM texts of a TLS key and its certificate, instead of derived ones. */
  tls: z.strictObject({ key: z.string(), certificate: z.string() }).optional(),
  /** A BLS secret of 32 bytes, instead of a derived one. */
  blsSecret: bytes.optional(),
  /** Name from which the BLS key is derived. Default: `name`. */
  blsName: z.string().optional(),
  /** The node id that the node claims. Default: that of its certificate. */
  nodeId: nodeId.optional(),
  /** Delay of every answer. */
  delayMs: z.number().nonnegative().default(0),
  faults: z.array(faultSchema).default([]),
});

const chain = z.strictObject({
  subnetId: id,
  /** `coreth` is the C-Chain; `none` registers no handler, as the X-Chain. */
  vm: z.enum(["coreth", "subnet-evm", "none"]),
  /** Unsigned messages that were sent on the chain. */
  messages: z.array(bytes).default([]),
  /** Accepted blocks. */
  blocks: z.array(id).default([]),
  /** Observed uptime in seconds by validation id (only subnet-evm asks for it). */
  uptimes: z.record(id, unsigned).default({}),
});

const l1Validator = z.strictObject({
  subnetId: id,
  nodeId,
  publicKey: bytes,
  weight: unsigned,
  minNonce: unsigned.default(0n),
  /** nAVAX. Zero: the validator is deactivated, and its weight has no key. */
  balance: unsigned.default(1_000_000_000n),
  startTime: unsigned.default(0n),
});

export const pChainSchema = z.strictObject({
  height: z.int().nonnegative().default(1),
  /** Chain time in Unix seconds. Default: the simulator's clock. */
  timestamp: unsigned.optional(),
  conversions: z
    .record(
      id,
      z.strictObject({
        conversionId: id,
        managerChainId: id.default(EMPTY_ID),
        managerAddress: bytes.default(Buffer.alloc(0)),
      }),
    )
    .default({}),
  /** By validation id: the validators that exist, active or not. */
  l1Validators: z.record(id, l1Validator).default({}),
  /** Validation ids whose registration was used and has not expired. */
  expiries: z.array(id).default([]),
  /** By transaction id: bytes, and the JSON form if `platform.getTx` shall give it. */
  txs: z.record(id, z.strictObject({ bytes, json: z.unknown().optional() })).default({}),
  /** Validator sets by subnet and first height. Default: the nodes and their weights at every height. */
  validatorSets: z
    .record(
      id,
      z.record(
        z.string().regex(/^\d+$/),
        z.record(nodeId, z.strictObject({ publicKey: bytes.nullable(), weight: unsigned })),
      ),
    )
    .default({}),
});

export const configSchema = z.strictObject({
  seed: z.string(),
  networkId: z.int().positive(),
  /** Unix seconds at which the simulator's clock stands still. Default: the machine's clock. */
  fixedTime: z.number().optional(),
  version: z.tuple([z.int(), z.int(), z.int()]).default([1, 14, 2]),
  minimumVersion: z.tuple([z.int(), z.int(), z.int()]).default([1, 14, 0]),
  pingMs: z.number().positive().default(22_500),
  silenceMs: z.number().positive().default(30_000),
  /** `point`: Handshakes carry a signature that is not a proof of possession, which is much faster with many nodes. */
  addressProof: z.enum(["possession", "point"]).default("possession"),
  nodes: z.array(node).min(1),
  chains: z.record(id, chain).default({}),
  pChain: pChainSchema.prefault({}),
  /** Port of the node's HTTP interface on 127.0.0.1. 0: a free one. */
  httpPort: z.int().min(0).max(65_535).default(0),
  /** How `POST /aggregate-signatures` answers; if it is not set, it does not exist. */
  aggregator: z
    .enum([
      "honest",
      "below-quorum",
      "wrong-signature",
      "wrong-bits",
      "other-message",
      "not-hex",
      "not-json",
      "error",
      "silent",
    ])
    .optional(),
});

export type SimulatorConfig = z.infer<typeof configSchema>;
export type NodeConfig = SimulatorConfig["nodes"][number];
export type ChainConfig = SimulatorConfig["chains"][string];
export type PChainState = SimulatorConfig["pChain"];
