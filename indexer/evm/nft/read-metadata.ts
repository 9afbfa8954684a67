import type { Config } from "../../../core/config/config-schema.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import { retryPauseSeconds } from "../contract-calls/retry-pause.ts";
import { type Content, textOf } from "./data-uri.ts";
import { fetchTokenUri } from "./fetch-token-uri.ts";
import { MAX_URI_CHARACTERS, NO_METADATA, parseMetadata, storable } from "./metadata.ts";
import type { MetadataClient } from "./metadata-client.ts";
import { MetadataUnavailable, waitSeconds } from "./statuses.ts";
import type { Attempt, Item } from "./store.ts";
import { fillId, parseTokenUri } from "./token-uri.ts";

/** The longest form of a byte in a data: URI: `%` and two digits. */
const URI_CHARACTERS_PER_BYTE = 3;

export interface ReadMetadataDeps {
  readonly node: Pick<NodeClient, "callAll">;
  readonly settings: Config["nftMetadata"];
  readonly client: MetadataClient;
}

/** Reads a token's metadata from its URI. */
export async function readMetadata(deps: ReadMetadataDeps, item: Item, nowSeconds: () => number): Promise<Attempt> {
  let tokenUri = "";
  try {
    const uri = await fetchTokenUri(deps.node, item, maxCharacters(deps.settings));
    tokenUri = uri.length <= MAX_URI_CHARACTERS ? storable(uri) : "";
    const text = textOf(await contentOf(deps, item, uri));
    return {
      item,
      tokenUri,
      indexStatus: "INDEXED",
      metadata: parseMetadata(text, item.ercType, item.tokenId),
      attemptedAt: nowSeconds(),
      attempts: 0,
      nodeFailures: 0,
      nextAttemptAt: null,
    };
  } catch (error) {
    if (error instanceof NodeUnavailable) return withoutNode(item, error, nowSeconds());
    if (!(error instanceof MetadataUnavailable)) throw error;
    return failedAttempt(item, tokenUri, error, nowSeconds());
  }
}

async function contentOf({ settings, client }: ReadMetadataDeps, item: Item, uri: string): Promise<Content> {
  const filled = item.ercType === "ERC-1155" ? fillId(uri, item.tokenId, maxCharacters(settings)) : uri;
  const parsed = parseTokenUri(filled, settings.ipfsGateway);
  if ("url" in parsed) {
    if (!settings.remote) throw new MetadataUnavailable("UNINDEXED", "nftMetadata.remote is off", 0, false);
    return client.read(parsed.url, parsed.isGateway);
  }
  if (parsed.content.bytes.length > settings.maxBytes)
    throw new MetadataUnavailable("METADATA_CONTENT_TOO_LARGE", `the content has more than ${settings.maxBytes} bytes`);
  return parsed.content;
}

const maxCharacters = ({ maxBytes }: Config["nftMetadata"]): number => maxBytes * URI_CHARACTERS_PER_BYTE;

function failedAttempt(
  item: Item,
  tokenUri: string,
  { status, retryAfterSeconds, isAttempt }: MetadataUnavailable,
  attemptedAt: number,
): Attempt {
  const attempts = item.attempts + (isAttempt ? 1 : 0);
  const wait = waitSeconds(status, attempts, retryAfterSeconds);
  const nextAttemptAt = wait === null ? null : attemptedAt + wait;
  return {
    item,
    tokenUri,
    indexStatus: status,
    metadata: NO_METADATA,
    attemptedAt,
    attempts,
    nodeFailures: 0,
    nextAttemptAt,
  };
}

/** The attempt if the node could not call the contract, which says nothing about the token. */
function withoutNode(item: Item, { retryAfterMs }: NodeUnavailable, attemptedAt: number): Attempt {
  const nodeFailures = item.nodeFailures + 1;
  return {
    item,
    tokenUri: "",
    indexStatus: "UNINDEXED",
    metadata: NO_METADATA,
    attemptedAt,
    attempts: item.attempts,
    nodeFailures,
    nextAttemptAt: attemptedAt + retryPauseSeconds(nodeFailures, retryAfterMs),
  };
}
