import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { delimited, readFields, varint } from "./fields.ts";

/** Number of the handler that signs warp messages (ACP-118). It stands before the request as a varint. */
const SIGNATURE_HANDLER = 2;
const NANOSECONDS_PER_MS = 1_000_000n;
/** Nodes give no answer to a deadline of a few nanoseconds, or of 2^63 nanoseconds and more. */
const MAX_DEADLINE_MS = 3_600_000;

export interface AppRequest {
  readonly chainId: Uint8Array;
  readonly requestId: number;
  /** Time that the node has for the answer; nodes take at most 10 seconds. */
  readonly deadlineMs: number;
  readonly bytes: Uint8Array;
}

/** The content of a request for a signature (`sdk.SignatureRequest`), with the number of its handler. */
export function encodeSignatureRequest(message: Uint8Array, justification: Uint8Array): Uint8Array {
  const writer = new BinaryWriter().uint32(SIGNATURE_HANDLER);
  if (message.length > 0) writer.uint32(delimited(1)).bytes(message);
  if (justification.length > 0) writer.uint32(delimited(2)).bytes(justification);
  return writer.finish();
}

export function encodeAppRequest({ chainId, requestId, deadlineMs, bytes }: AppRequest): Uint8Array {
  const wholeMs = Math.round(Math.min(Math.max(deadlineMs, 1), MAX_DEADLINE_MS));
  return new BinaryWriter()
    .uint32(delimited(1))
    .bytes(chainId)
    .uint32(varint(2))
    .uint32(requestId)
    .uint32(varint(3))
    .uint64(BigInt(wholeMs) * NANOSECONDS_PER_MS)
    .uint32(delimited(4))
    .bytes(bytes)
    .finish();
}

export interface AppResponse {
  readonly chainId: Uint8Array;
  readonly requestId: number;
  readonly bytes: Uint8Array;
}

export function decodeAppResponse(message: Uint8Array): AppResponse {
  const none: Uint8Array = Buffer.alloc(0);
  const response = { chainId: none, requestId: 0, bytes: none };
  readFields(message, {
    [delimited(1)]: (reader) => {
      response.chainId = reader.bytes();
    },
    [varint(2)]: (reader) => {
      response.requestId = reader.uint32();
    },
    [delimited(3)]: (reader) => {
      response.bytes = reader.bytes();
    },
  });
  return response;
}

export interface AppError {
  readonly chainId: Uint8Array;
  readonly requestId: number;
  readonly code: number;
  readonly message: string;
}

export function decodeAppError(bytes: Uint8Array): AppError {
  const error = { chainId: Buffer.alloc(0) as Uint8Array, requestId: 0, code: 0, message: "" };
  readFields(bytes, {
    [delimited(1)]: (reader) => {
      error.chainId = reader.bytes();
    },
    [varint(2)]: (reader) => {
      error.requestId = reader.uint32();
    },
    [varint(3)]: (reader) => {
      error.code = reader.sint32();
    },
    [delimited(4)]: (reader) => {
      error.message = reader.string();
    },
  });
  return error;
}

/** The signature in an answer (`sdk.SignatureResponse`), of whatever length. Throws if the bytes are malformed. */
export function decodeSignatureResponse(bytes: Uint8Array): Uint8Array {
  let signature: Uint8Array = Buffer.alloc(0);
  readFields(bytes, {
    [delimited(1)]: (reader) => {
      // A copy, because the message that it is part of may be large.
      signature = reader.bytes().slice();
    },
  });
  return signature;
}
