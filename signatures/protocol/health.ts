import { request } from "undici";
import { HEALTH_PATH } from "./protocol.ts";

/** Rejects unless the signature service at this base URL answers that requests can succeed. */
export async function requireSignatureService(serviceUrl: string, signal: AbortSignal): Promise<void> {
  const { statusCode, body } = await request(serviceUrl.replace(/\/+$/, "") + HEALTH_PATH, { signal });
  await body.dump();
  if (statusCode !== 200) throw new Error(`the signature service answered HTTP ${statusCode}`);
}
