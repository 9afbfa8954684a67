import { Failure } from "../../../core/errors/errors.ts";
import { parseAddress } from "../../../core/formats/bech32.ts";
import { parseId } from "../../../core/formats/cb58.ts";
import { parseIdText, parseNodeId } from "../../../core/formats/id-text.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";

/** Maximum number of characters of a text. The indexes of names and symbols contain only as many characters of each. */
export const MAX_TEXT_LENGTH = 200;

/** What a text can name. A field is null if the text cannot name anything of its kind. Bytes are `0x` hex. */
export interface SearchText {
  /** The text without blanks around it. */
  readonly text: string;
  /** A number that a BIGINT column can have, without leading zeros. */
  readonly number: string | null;
  /** 32 bytes. */
  readonly id: string | null;
  readonly evmAddress: string | null;
  /** 20 bytes. */
  readonly nodeId: string | null;
  readonly primaryAddress: { readonly prefix: string; readonly address: string } | null;
  /** The text, unless it has the form of an id, a node id or an address. */
  readonly name: string | null;
}

/**
 * Parses the text of a search. Ids are CB58, or hex with or without `0x`; EVM addresses hex with or without `0x`, whatever their
 * case. Throws `INVALID_PARAMETER` for a text that is empty or too long, or that PostgreSQL cannot store.
 */
export function parseText(given: string): SearchText {
  const text = given.trim();
  if (text.length === 0 || text.length > MAX_TEXT_LENGTH)
    throw new Failure("INVALID_PARAMETER", `text must have 1 to ${MAX_TEXT_LENGTH} characters, got ${text.length}`);
  if (text.includes("\0")) throw new Failure("INVALID_PARAMETER", "text must not contain the character U+0000");
  const forms = {
    id: parseHexId(text),
    evmAddress: /^(?:0x)?([0-9a-f]{40})$/i.exec(text)?.[1]?.toLowerCase() ?? null,
    nodeId: parseNodeId(text),
    primaryAddress: parsePrimaryAddress(text),
  };
  const isName = Object.values(forms).every((form) => form === null);
  return { text, number: parseNumber(text), ...withPrefix(forms), name: isName ? text : null };
}

function parseNumber(text: string): string | null {
  const number = /^\d+$/.test(text) ? BigInt(text) : null;
  return number === null || number > BigInt(MAX_BIGINT) ? null : String(number);
}

/** Returns a 32-byte id as 64 hex digits; null if the text is not an id. */
function parseHexId(text: string): string | null {
  const cb58 = parseId(text);
  return cb58 === null ? null : parseIdText(cb58);
}

const CHAINS = new Set([null, "P", "X", "C"]);

function parsePrimaryAddress(text: string): SearchText["primaryAddress"] {
  const parsed = parseAddress(text);
  return parsed && CHAINS.has(parsed.chain) ? { prefix: parsed.prefix, address: `0x${parsed.address}` } : null;
}

type Forms = Pick<SearchText, "id" | "evmAddress" | "nodeId" | "primaryAddress">;

function withPrefix({ id, evmAddress, nodeId, primaryAddress }: Forms): Forms {
  const prefixed = (hex: string | null) => hex && `0x${hex}`;
  return { id: prefixed(id), evmAddress: prefixed(evmAddress), nodeId: prefixed(nodeId), primaryAddress };
}
