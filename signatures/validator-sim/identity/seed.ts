import { createHash } from "node:crypto";

/** 32 bytes for a named secret: the same seed and name always give the same ones. */
export function secretOf(seed: string, name: string): Buffer {
  return sha256(Buffer.from(`moraine:${seed}:${name}`));
}

/** `length` bytes for a label: the SHA-256 of `label/0`, `label/1` and so on. */
export function bytesOfLabel(label: string, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) => sha256(Buffer.from(`${label}/${index}`)));
  return Buffer.concat(blocks).subarray(0, length);
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
