import { isObject } from "../../core/formats/json.ts";
import { Refusal } from "../answers.ts";
import type { EvmChain } from "./evm-chain.ts";

/** A call to an EVM chain whose head is at `head`; later blocks are hidden. */
export interface EvmCall {
  readonly chain: EvmChain;
  readonly head: number;
  readonly params: readonly unknown[];
}

const HEAD_TAGS = ["latest", "pending", "safe", "finalized", "accepted"];

/** True for the block tags that mean the head; on Avalanche all of them do. */
export function isHeadTag(value: unknown): value is string {
  return typeof value === "string" && HEAD_TAGS.includes(value);
}

/** Height of a block number or tag. Throws the node's error if it is malformed or above the head. */
export function heightAt(call: EvmCall, position: number): number {
  const value = present(call, position);
  const height = isHeadTag(value) ? call.head : value === "earliest" ? 0 : numberOf(value, position);
  if (height > call.head) throw new Refusal(-32000, "cannot query unfinalized data");
  return height;
}

/** Height of a number, tag, block hash, `{blockNumber}` or `{blockHash}`. Throws the node's error for an unknown block. */
export function heightOrHashAt(call: EvmCall, position: number): number {
  const value = present(call, position);
  const inner = isObject(value) ? (value["blockHash"] ?? value["blockNumber"]) : value;
  if (!isHash(inner)) return heightAt({ ...call, params: call.params.with(position, inner) }, position);
  const height = visibleBlock(call, inner);
  if (height === undefined) throw new Refusal(-32000, "header for hash not found");
  return height;
}

/** Height of a block by hash; undefined if it is unknown or above the head. */
export function visibleBlock({ chain, head }: EvmCall, hash: string): number | undefined {
  const height = chain.heightOfBlock(hash);
  return height === undefined || height > head ? undefined : height;
}

/** The 32-byte hash at that position of the parameters. Throws the node's error if it is not one. */
export function hashAt(call: EvmCall, position: number): string {
  const value = present(call, position);
  if (isHash(value)) return value;
  const length = typeof value === "string" ? Math.max(value.length - 2, 0) : 0;
  throw new Refusal(-32602, `invalid argument ${position}: hex string has length ${length}, want 64 for common.Hash`);
}

/** The number of a hex quantity. Accepts leading zeros, which a node refuses. */
export function numberOf(value: unknown, position: number): number {
  const text = String(value);
  if (/^0x[0-9a-f]+$/i.test(text)) return Number.parseInt(text, 16);
  throw new Refusal(-32602, `invalid argument ${position}: ${wrongHex(text)}`);
}

function present({ params }: EvmCall, position: number): unknown {
  const value = params[position];
  if (value === undefined || value === null) {
    throw new Refusal(-32602, `missing value for required argument ${position}`);
  }
  return value;
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{64}$/i.test(value);
}

function wrongHex(text: string): string {
  if (text === "") return "empty hex string";
  if (!text.startsWith("0x")) return "hex string without 0x prefix";
  return text === "0x" ? 'hex string "0x"' : "invalid hex string";
}
