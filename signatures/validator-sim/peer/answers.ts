import { aggregateSerializedSignatures } from "@chainsafe/blst";
import type { Fault, FaultKind } from "../faults.ts";
import { bytesOfLabel } from "../identity/seed.ts";
import { MAX_FRAME_BYTES } from "../wire/frames.ts";
import { type AppRequest, appError, appResponse, encodeCompressed, encodeMessage } from "../wire/messages.ts";
import { bytesField } from "../wire/protobuf.ts";
import { zipBomb } from "../wire/zstd.ts";
import { NEVER_SENT, type ValidatorNode } from "./validator-node.ts";

type Faults = ReadonlyMap<FaultKind, Fault>;

/** What a node does about a request: messages to send, in order, and whether it then closes the connection. */
export interface Answer {
  readonly messages: readonly Buffer[];
  readonly closes: boolean;
}

const SIGNATURE_BYTES = 96;
const OVERSIZE_BYTES = 3 * 1024 * 1024;
/** The point at infinity in compressed form. */
const INFINITY = Buffer.concat([Buffer.of(0xc0), Buffer.alloc(SIGNATURE_BYTES - 1)]);
/** The point with x = 2: on the curve, outside the group of signatures. */
const OUTSIDE_SUBGROUP = Buffer.concat([Buffer.of(0x80), Buffer.alloc(SIGNATURE_BYTES - 2), Buffer.of(2)]);
/** In compressed form, this bit selects one of the two points with the same x: a point or its negative. */
const SIGN_BIT = 0x20;

/** The answer of a node that signs the message. */
export function signedAnswer(node: ValidatorNode, request: AppRequest, message: Buffer, faults: Faults): Answer {
  const signature = signatureWithFaults(node, message, faults);
  node.lastMessage = message;
  const isCompressible = !faults.has("uncompressed");
  const response = (bytes: Buffer) =>
    encodeMessage(
      "appResponse",
      appResponse(chainIdOf(request, faults), requestIdOf(request, faults), bytes),
      isCompressible,
    );
  const content = faults.has("garbage-protobuf") ? Buffer.from("ffffffff", "hex") : bytesField(1, signature);
  const first = faults.has("empty") ? response(Buffer.alloc(0)) : response(content);
  return {
    messages: [messageWithFaults(first, faults), ...furtherMessages(node, first, response, faults)],
    closes: faults.has("disconnects-after"),
  };
}

/** The answer of a node that does not sign. */
export function refusedAnswer(request: AppRequest, code: number, text: string, faults: Faults): Answer {
  const fields = appError(chainIdOf(request, faults), requestIdOf(request, faults), code, text);
  return {
    messages: [encodeMessage("appError", fields, !faults.has("uncompressed"))],
    closes: faults.has("disconnects-after"),
  };
}

function chainIdOf({ chainId }: AppRequest, faults: Faults): Buffer {
  return faults.has("other-chain-id") ? Buffer.alloc(chainId.length, 0xee) : chainId;
}

function requestIdOf({ requestId }: AppRequest, faults: Faults): bigint {
  if (faults.has("unknown-request-id")) return requestId ^ 0x4000_0000n;
  return faults.has("other-request-id") ? requestId + 2n : requestId;
}

/** Returns the message, or a faulty one in its place if the fault is in the compression or the frame. */
function messageWithFaults(message: Buffer, faults: Faults): Buffer {
  if (faults.has("zip-bomb")) return encodeCompressed(zipBomb());
  if (faults.has("garbage-zstd")) return encodeCompressed(Buffer.from("28b52ffdffffffffff", "hex"));
  return faults.has("oversize-frame") ? Buffer.alloc(Math.max(OVERSIZE_BYTES, MAX_FRAME_BYTES + 1)) : message;
}

function furtherMessages(
  node: ValidatorNode,
  first: Buffer,
  response: (bytes: Buffer) => Buffer,
  faults: Faults,
): Buffer[] {
  if (faults.has("twice")) return [first];
  return faults.has("second-differs") ? [response(bytesField(1, node.strangerKey().sign(Buffer.from("second"))))] : [];
}

function signatureWithFaults(node: ValidatorNode, message: Buffer, faults: Faults): Buffer {
  const length = faults.get("signature-length");
  const shifted = faults.get("shifted");
  if (faults.has("other-key")) return node.strangerKey().sign(message);
  if (faults.has("other-message")) return node.blsKey.sign(Buffer.concat([message, Buffer.of(0)]));
  if (faults.has("old-message"))
    return node.blsKey.sign(node.lastMessage.equals(message) ? NEVER_SENT : node.lastMessage);
  if (faults.has("infinity")) return INFINITY;
  if (faults.has("outside-subgroup")) return OUTSIDE_SUBGROUP;
  if (faults.has("random-bytes")) return bytesOfLabel(`random:${node.name}`, SIGNATURE_BYTES);
  const signature = node.blsKey.sign(message);
  if (length?.kind === "signature-length")
    return Buffer.concat([signature, Buffer.alloc(length.bytes)]).subarray(0, length.bytes);
  return shifted?.kind === "shifted" ? shiftedBy(signature, node.sharedPoint(), shifted.direction) : signature;
}

/** Adds or subtracts a point: two nodes that shift in opposite directions cancel each other in a plain sum. */
function shiftedBy(signature: Buffer, point: Buffer, direction: "plus" | "minus"): Buffer {
  const shift = Buffer.from(point);
  if (direction === "minus") shift[0] = (shift[0] ?? 0) ^ SIGN_BIT;
  return Buffer.from(aggregateSerializedSignatures([signature, shift]).toBytes(true));
}
