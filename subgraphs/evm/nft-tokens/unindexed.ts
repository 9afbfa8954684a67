import type { NftKey } from "./store.ts";
import type { Erc721Token, Erc1155Token } from "./types.ts";

const UNINDEXED = {
  indexStatus: "UNINDEXED",
  metadataLastUpdatedTimestamp: null,
  name: null,
  symbol: null,
  imageUri: null,
  description: null,
  animationUri: null,
  externalUrl: null,
  background: null,
} as const;

/** Replaces a token whose row was removed by a reorganisation after the transfers were read. */
export function unindexedErc721Token(key: NftKey): Erc721Token {
  const metadata = { ...UNINDEXED, attributes: null };
  return { ...key, name: "", symbol: "", ercType: "ERC-721", tokenUri: "", metadata, ownerAddress: null };
}

/** Like `unindexedErc721Token`, for an ERC-1155 token. */
export function unindexedErc1155Token(key: NftKey): Erc1155Token {
  return { ...key, ercType: "ERC-1155", tokenUri: "", metadata: { ...UNINDEXED, decimals: null, properties: null } };
}
