import type { NodeClient } from "../../shared/node/node-client.ts";
import { abiString } from "../contract-calls/abi-string.ts";
import { contractAnswer } from "../contract-calls/contract-answer.ts";
import type { ErcType } from "./metadata.ts";
import { MetadataUnavailable } from "./statuses.ts";

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
 * The URI that a contract returns for a token, at the node's latest block. Throws `MetadataUnavailable` if the URI is missing,
 * unreadable, or longer than `maxCharacters`, and `NodeUnavailable` if the node cannot answer.
 */
export async function fetchTokenUri(
  node: Pick<NodeClient, "callAll">,
  token: Token,
  maxCharacters: number,
): Promise<string> {
  const answer = await callContract(node, token, SELECTORS[token.ercType]);
  if (answer === "") throw await withoutUri(node, token);
  const text = abiString(answer);
  if (!text || text.content.length < 2 * text.length)
    throw new MetadataUnavailable("INVALID_TOKEN_URI", "the contract's answer is not an ABI string");
  if (text.length > maxCharacters) throw new MetadataUnavailable("METADATA_CONTENT_TOO_LARGE", "the URI is too long");
  return Buffer.from(text.content, "hex").toString("utf8").replaceAll("\0", "").trim();
}

/** Finds out why a token has no URI. With ERC-721, `ownerOf` shows whether the token exists. ERC-1155 has no such call. */
async function withoutUri(node: Pick<NodeClient, "callAll">, token: Token): Promise<MetadataUnavailable> {
  if (token.ercType === "ERC-1155") return new MetadataUnavailable("UNKNOWN", "the contract gives no URI");
  const owner = await callContract(node, token, OWNER_OF);
  const exists = owner.length === WORD_DIGITS && /[^0]/.test(owner);
  if (exists) return new MetadataUnavailable("INVALID_TOKEN_URI", "the contract gives no URI");
  return new MetadataUnavailable("MISSING_TOKEN", "the token has no owner");
}

/** Hex digits of the answer; empty if the contract fails or gives none. Throws `NodeUnavailable` if the node cannot call it. */
async function callContract(
  node: Pick<NodeClient, "callAll">,
  { address, tokenId }: Token,
  selector: string,
): Promise<string> {
  const data = selector + BigInt(tokenId).toString(16).padStart(WORD_DIGITS, "0");
  const [answer] = await node.callAll([{ method: "eth_call", params: [{ to: address, data }, "latest"] }]);
  const given = contractAnswer(answer);
  return "result" in given ? given.result.slice(2) : "";
}
