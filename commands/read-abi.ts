import { readFile } from "node:fs/promises";
import { request } from "undici";
import { type AbiEntry, InvalidAbi, parseAbi } from "../core/abi/abi-entry.ts";
import { ConfigError } from "../core/config/config.ts";
import { messageOf, quoted } from "../core/errors/errors.ts";

const MAX_BYTES = 10 << 20;
const TIMEOUT_MS = 20_000;

/**
 * Reads the ABI in a JSON document: a file, or what a URL answers. The document is the ABI itself, or has it as its member `abi` (artefacts of
 * Hardhat and Foundry, answers of Sourcify) or `output.abi` (metadata of the Solidity compiler). Throws `ConfigError`.
 */
export async function readAbi(source: string): Promise<AbiEntry[]> {
  const entries = entriesIn(await textOf(source), source);
  if (entries.length === 0) throw new ConfigError(`${quoted(source)} has no function, event or error`);
  return entries;
}

function entriesIn(text: string, source: string): AbiEntry[] {
  try {
    return parseAbi(abiIn(JSON.parse(text)));
  } catch (error) {
    if (error instanceof InvalidAbi || error instanceof SyntaxError)
      throw new ConfigError(`${quoted(source)} has no valid ABI: ${error.message}`);
    throw error;
  }
}

interface Document {
  readonly abi?: unknown;
  readonly output?: { readonly abi?: unknown };
}

function abiIn(document: unknown): unknown {
  if (Array.isArray(document) || typeof document !== "object" || document === null) return document;
  const { abi, output } = document as Document;
  return abi ?? output?.abi;
}

async function textOf(source: string): Promise<string> {
  try {
    return /^https?:\/\//.test(source) ? await fetched(source) : await readFile(source, "utf8");
  } catch (error) {
    throw new ConfigError(`${quoted(source)} cannot be read: ${messageOf(error)}`);
  }
}

async function fetched(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += (part as Buffer).length;
    if (bytes > MAX_BYTES) throw new Error(`it is longer than ${MAX_BYTES} bytes`);
    parts.push(part as Buffer);
  }
  if (statusCode !== 200) throw new Error(`the server responds with HTTP ${statusCode}`);
  return Buffer.concat(parts).toString();
}
