import { aggregateSerializedSignatures } from "@chainsafe/blst";
import { encodeCb58, parseId } from "../../../core/formats/cb58.ts";
import { EMPTY_ID } from "../config.ts";
import { validatorsAt } from "../population.ts";
import { Refusal } from "../signing/refusal.ts";
import { CodecError } from "../signing/unpacker.ts";
import { parseUnsignedMessage } from "../signing/warp-messages.ts";
import type { Simulation } from "../simulation.ts";
import { type CanonicalValidator, canonicalSetOf } from "./canonical-set.ts";

/** An HTTP answer. */
export interface AggregatorAnswer {
  readonly status: number;
  readonly body: string;
}

const DEFAULT_QUORUM = 67;

interface Aggregation {
  readonly message: Buffer;
  readonly justification: Buffer;
  readonly subnetId: string;
  readonly quorum: bigint;
  readonly height: number;
}

/** Answers `POST /aggregate-signatures` like icm-services, or with the configured lie. Null: the request is never answered. */
export function answerAggregation(simulation: Simulation, body: string): AggregatorAnswer | null {
  const lie = simulation.config.aggregator;
  if (lie === "silent") return null;
  if (lie === "not-json") return { status: 200, body: "<html>" };
  if (lie === "error") return failure(500, "failed to aggregate signatures. error: context deadline exceeded");
  if (lie === "not-hex") return success("not hex");
  try {
    return success(aggregate(simulation, parseBody(simulation, body)).toString("hex"));
  } catch (error) {
    if (error instanceof Refusal)
      return failure(500, "failed to aggregate signatures. error: failed to collect a threshold of signatures");
    if (error instanceof BadRequest || error instanceof CodecError) return failure(400, error.message);
    throw error;
  }
}

class BadRequest extends Error {
  override readonly name = "BadRequest";
}

function success(signedMessage: string): AggregatorAnswer {
  return { status: 200, body: JSON.stringify({ "signed-message": signedMessage }) };
}

function failure(status: number, error: string): AggregatorAnswer {
  return { status, body: JSON.stringify({ error }) };
}

function parseBody({ config, pChain }: Simulation, text: string): Aggregation {
  const body = parseJson(text);
  const message = hexOf(body["message"], "Could not decode message");
  const { sourceChainId } = parseUnsignedMessage(message);
  const given = body["signing-subnet-id"];
  const named = typeof given === "string" && given !== "" ? parseId(given) : undefined;
  if (named === null) throw new BadRequest("Error parsing signing subnet ID");
  const quorum = Number(body["quorum-percentage"] ?? 0) || DEFAULT_QUORUM;
  if (quorum > 100) throw new BadRequest("Invalid quorum number");
  return {
    message,
    justification: hexOf(body["justification"], "Could not decode justification"),
    subnetId: named ?? config.chains[encodeCb58(sourceChainId)]?.subnetId ?? EMPTY_ID,
    quorum: BigInt(quorum),
    height: Number(body["pchain-height"] ?? 0) || pChain().height,
  };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>; // every member is checked where it is read
  } catch {
    throw new BadRequest("Could not decode request body");
  }
}

function hexOf(value: unknown, refusal: string): Buffer {
  const text = typeof value === "string" ? value.replace(/^0x/, "") : "";
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new BadRequest(refusal);
  return Buffer.from(text, "hex");
}

function aggregate(simulation: Simulation, { message, justification, subnetId, quorum, height }: Aggregation): Buffer {
  const { pChain, nodes, signer, config } = simulation;
  signer.check(encodeCb58(parseUnsignedMessage(message).sourceChainId), message, justification);
  const { validators, totalWeight } = canonicalSetOf(validatorsAt(pChain(), nodes, subnetId, height));
  const signers = signersFor(simulation, validators, (totalWeight * quorum + 99n) / 100n);
  if (config.aggregator === "below-quorum") signers.splice(1);
  const signed = config.aggregator === "other-message" ? Buffer.concat([message, Buffer.of(0)]) : message;
  const signatures = signers.map(({ publicKey }) => keyOf(simulation, publicKey).sign(signed));
  if (config.aggregator === "wrong-signature") signatures.splice(0, 1, nodes[0]!.strangerKey().sign(message));
  const indexes = signers.map((one) => validators.indexOf(one));
  const bits = bitSet(config.aggregator === "wrong-bits" ? indexes.map((index) => index + 1) : indexes);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(bits.length, 4);
  const signature = Buffer.from(aggregateSerializedSignatures(signatures).toBytes(true));
  return Buffer.concat([message, header, bits, signature]);
}

/** The heaviest validators that have a running node, until their weight reaches what is required. */
function signersFor(
  { nodes }: Simulation,
  validators: readonly CanonicalValidator[],
  required: bigint,
): CanonicalValidator[] {
  const running = new Set(nodes.map(({ nodeId }) => nodeId));
  const heaviest = validators
    .filter(({ nodeIds }) => nodeIds.some((nodeId) => running.has(nodeId)))
    .sort((one, other) => (one.weight < other.weight ? 1 : -1));
  const signers: CanonicalValidator[] = [];
  let weight = 0n;
  for (const validator of heaviest) {
    if (weight >= required) break;
    signers.push(validator);
    weight += validator.weight;
  }
  if (weight < required) throw new Refusal(0, "a threshold of stake");
  return signers;
}

function keyOf({ nodes }: Simulation, publicKey: Buffer) {
  const node = nodes.find(({ blsKey }) => blsKey.publicKey.equals(publicKey));
  if (!node) throw new Refusal(0, "a validator's key is not the simulator's");
  return node.blsKey;
}

function bitSet(indexes: readonly number[]): Buffer {
  const bits = indexes.reduce((sum, index) => sum | (1n << BigInt(index)), 0n);
  const hex = bits.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}
