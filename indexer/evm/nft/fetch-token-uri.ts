import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import { abiString } from "../contract-calls/abi-string.ts";
import { isOfNode } from "../tokens/index-tokens.ts";
import type { ErcType } from "./metadata.ts";
import { Missed } from "./statuses.ts";

/** tokenURI(uint256), uri(uint256) */
const SELECTORS: Readonly<Record<ErcType, string>> = { "ERC-721": "0xc87b56dd", "ERC-1155": "0x0e89341c" };
/** ownerOf(uint256) */
const OWNER_OF = "0x6352211e";
const WORD_DIGITS = 64;

export interface Token {
  readonly address: string;
  readonly tokenId: string;
  readonly ercType: ErcType;
}

/**
 * The URI that a contract gives for a token, at the node's latest block. Throws `Missed` when it gives none that can be read
 * or one of more than `maxCharacters`, `NodeUnavailable` when the node gives no answer about the token.
 */
export async function askTokenUri(
  node: Pick<NodeClient, "call">,
  token: Token,
  maxCharacters: number,
): Promise<string> {
  const answer = await askContract(node, token, SELECTORS[token.ercType]);
  if (answer === "") throw await withoutUri(node, token);
  const text = abiString(answer);
  if (!text || text.content.length < 2 * text.length) throw new Missed("INVALID_TOKEN_URI", "the answer holds no text");
  if (text.length > maxCharacters) throw new Missed("METADATA_CONTENT_TOO_LARGE", "the URI is too long");
  return Buffer.from(text.content, "hex").toString("utf8").replaceAll("\0", "").trim();
}

/** What it means that a contract gives no URI: ERC-721 has a question for whether a token exists, ERC-1155 has none. */
async function withoutUri(node: Pick<NodeClient, "call">, token: Token): Promise<Missed> {
  if (token.ercType === "ERC-1155") return new Missed("UNKNOWN", "the contract gives no URI");
  const owner = await askContract(node, token, OWNER_OF);
  const exists = owner.length === WORD_DIGITS && /[^0]/.test(owner);
  if (exists) return new Missed("INVALID_TOKEN_URI", "the contract gives no URI");
  return new Missed("MISSING_TOKEN", "the token has no owner");
}

/** Hex digits of the answer; empty when the contract gives none. */
async function askContract(
  node: Pick<NodeClient, "call">,
  { address, tokenId }: Token,
  selector: string,
): Promise<string> {
  const data = selector + BigInt(tokenId).toString(16).padStart(WORD_DIGITS, "0");
  try {
    const result = await node.call("eth_call", [{ to: address, data }, "latest"]);
    return typeof result === "string" && /^0x[0-9a-f]*$/i.test(result) ? result.slice(2) : "";
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (isOfNode(error)) throw new NodeUnavailable(`the node refuses eth_call: ${error.message} (${error.code})`);
    return "";
  }
}
