import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../../core/config-schema.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { createSlots, type Slots } from "../../shared/node/task-limiter.ts";
import { createRests, type Rests } from "../contract-calls/retry-delays.ts";
import { storeCapability } from "../store/capabilities.ts";
import { hasBlockOf, type TokenDeps } from "../tokens/index-tokens.ts";
import { PUBLIC_WEB, type Reach } from "./address-policy.ts";
import { textOf } from "./data-uri.ts";
import { askTokenUri, type Token } from "./fetch-token-uri.ts";
import { MAX_WHOLE_CHARACTERS, NO_METADATA, parseMetadata, storable } from "./metadata.ts";
import { createMetadataClient, type MetadataClient } from "./metadata-client.ts";
import { isPassing, Missed, waitSeconds } from "./statuses.ts";
import {
  type Item,
  itemsToLookAt,
  type Look,
  markDone,
  PAGE,
  postponeLooks,
  requeueUntried,
  storeLooks,
} from "./store.ts";
import { parseTokenUri, withId } from "./token-uri.ts";

const IDLE_MS = 250;
const RETRY_MS = 1_000;
/** Longest form that metadata of the allowed size has in a data: URI: each byte as `%` and two digits. */
const URI_CHARACTERS_PER_BYTE = 3;

export interface NftMetadataDeps extends TokenDeps {
  /** Whether the chain has the feature `nftIndexing`. */
  readonly isOn: boolean;
  readonly settings: Config["nftMetadata"];
  /** What URIs may lead to. Default: hosts of the internet, at the port of HTTPS. */
  readonly reach?: Reach;
}

interface Looking extends NftMetadataDeps {
  readonly client: MetadataClient;
  readonly slots: Slots;
  /** By token: those that the node gave no answer about. */
  readonly rests: Rests;
}

/**
 * Looks for the metadata of every token that a transfer named, beside the indexing of blocks, and again where that may
 * help. Without the feature nobody is asked anything. Until `signal`; rejects when the database fails.
 */
export async function indexNftMetadata(deps: NftMetadataDeps): Promise<void> {
  const { writer, chainId, settings, signal, isOn, reach = PUBLIC_WEB } = deps;
  try {
    const state = { isOn, reason: isOn ? limitsOf(settings) : "nftIndexing is not among the chain's enabledFeatures" };
    await writer.transaction((session) => storeCapability(session, chainId, "nftMetadata", state));
    if (!isOn) return;
    if (settings.remote) await writer.transaction((session) => requeueUntried(session, chainId));
    await using client = createMetadataClient({ ...settings, reach, signal });
    const slots = createSlots({ concurrency: settings.maxConcurrency });
    const looking = { ...deps, client, slots, rests: createRests() };
    for (;;) await sleep(await lookAtPage(looking), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const limitsOf = ({ remote }: Config["nftMetadata"]): string | null =>
  remote ? null : "nftMetadata.remote is off: only metadata in data: URIs is read";

/** Returns how long to wait before the next page. */
async function lookAtPage(looking: Looking): Promise<number> {
  const { writer, chainId, rests, slots } = looking;
  const resting = rests.resting().map(tokenOf);
  const items = await writer.transaction((session) => itemsToLookAt(session, chainId, nowSeconds(), resting));
  const known = items.filter(({ isKnown }) => isKnown);
  if (known.length > 0) await writer.transaction((session) => markDone(session, chainId, known));
  const unknown = items.filter(({ isKnown }) => !isKnown);
  const newest = unknown.toSorted((a, b) => a.firstBlockNumber - b.firstBlockNumber).at(-1);
  if (newest && !(await hasBlockOf(looking, newest))) return RETRY_MS;
  const looks = await Promise.all(unknown.map((item) => slots.run(() => lookUnlessBusy(looking, item))));
  await store(
    looking,
    looks.filter((look) => look !== null),
  );
  return items.length >= PAGE ? 0 : IDLE_MS;
}

async function store({ writer, chainId }: Looking, looks: readonly Look[]): Promise<void> {
  const keepsOld = ({ item, indexStatus }: Look) => item.indexStatus === "INDEXED" && isPassing(indexStatus);
  const kept = looks.filter(keepsOld);
  if (looks.length === 0) return;
  await writer.transaction(async (session) => {
    await postponeLooks(session, chainId, kept);
    await storeLooks(
      session,
      chainId,
      looks.filter((look) => !keepsOld(look)),
    );
  });
}

/** Null when the node gave no answer about the token, which then rests. */
async function lookUnlessBusy(looking: Looking, item: Item): Promise<Look | null> {
  const { rests } = looking;
  try {
    const found = await look(looking, item);
    rests.end(keyOf(item));
    return found;
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    rests.begin(keyOf(item));
    return null;
  }
}

async function look({ node, settings, client }: Looking, item: Item): Promise<Look> {
  let tokenUri = "";
  try {
    const uri = await askTokenUri(node, item, mostCharacters(settings));
    tokenUri = uri.length <= MAX_WHOLE_CHARACTERS ? storable(uri) : "";
    const text = textOf(await contentOf(item, uri, settings, client));
    const metadata = parseMetadata(text, item.ercType, item.tokenId);
    return {
      item,
      tokenUri,
      indexStatus: "INDEXED",
      metadata,
      lookedAt: nowSeconds(),
      attempts: 0,
      nextAttemptAt: null,
    };
  } catch (error) {
    if (!(error instanceof Missed)) throw error;
    return missed(item, tokenUri, error);
  }
}

async function contentOf(item: Item, uri: string, settings: Config["nftMetadata"], client: MetadataClient) {
  const filled = item.ercType === "ERC-1155" ? withId(uri, item.tokenId, mostCharacters(settings)) : uri;
  const place = parseTokenUri(filled, settings.ipfsGateway);
  if ("url" in place) {
    if (!settings.remote) throw new Missed("UNINDEXED", "nftMetadata.remote is off", 0, false);
    return client.read(place.url, place.isGateway);
  }
  if (place.content.bytes.length > settings.maxBytes)
    throw new Missed("METADATA_CONTENT_TOO_LARGE", `the content has more than ${settings.maxBytes} bytes`);
  return place.content;
}

const mostCharacters = ({ maxBytes }: Config["nftMetadata"]): number => maxBytes * URI_CHARACTERS_PER_BYTE;

function missed(item: Item, tokenUri: string, { status, retryAfterSeconds, isAttempt }: Missed): Look {
  const lookedAt = nowSeconds();
  const attempts = item.attempts + (isAttempt ? 1 : 0);
  const wait = waitSeconds(status, attempts, retryAfterSeconds);
  const nextAttemptAt = wait === null ? null : lookedAt + wait;
  return { item, tokenUri, indexStatus: status, metadata: NO_METADATA, lookedAt, attempts, nextAttemptAt };
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

const keyOf = ({ address, tokenId }: Token): string => `${address} ${tokenId}`;

function tokenOf(key: string): Pick<Token, "address" | "tokenId"> {
  const [address = "", tokenId = ""] = key.split(" ");
  return { address, tokenId };
}
