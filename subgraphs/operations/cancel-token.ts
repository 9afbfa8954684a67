import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits: nobody can guess one. */
const TOKEN_BYTES = 32;

/** A secret with which a caller without an API key lists and cancels the operation that it has started. */
export function createCancelToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** SHA-256 of a token, which is stored in its place. A slow hash is not needed for a random secret. */
export function hashOfToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** True if the token is the one with this hash. Takes the same time for all tokens. */
export function isToken(token: string, hash: Buffer | null): boolean {
  return hash !== null && timingSafeEqual(hashOfToken(token), hash);
}
