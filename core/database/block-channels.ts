/** Notifications of new blocks: how the indexer sends them, and how the API catches up with those that it has missed. */
export interface BlockChannel {
  /** Name of the channel: see `channelName`. */
  readonly channel: string;
  /** What the notifications are about, for log lines and the name of the database session. */
  readonly about: string;
  /** The chain id or network id that the name of a chain has. */
  readonly partitionOf: (chain: string) => string;
  /** SELECT of all heads: the name of the chain (`chain`, as text) and the number of its last block (`block_number`). */
  readonly heads: string;
}

/** Blocks of EVM chains. The name of a chain is its chain id. */
export const EVM_BLOCKS: BlockChannel = {
  channel: "moraine_blocks",
  about: "new blocks",
  partitionOf: (chain) => chain,
  heads: "SELECT chain_id::text AS chain, block_number FROM chain_heads WHERE block_number >= 0",
};

/** Blocks of the P- and the X-Chain. The name of a chain is `primaryChainName`. */
export const PRIMARY_BLOCKS: BlockChannel = {
  channel: "moraine_primary_blocks",
  about: "new blocks of primary networks",
  partitionOf: (chain) => chain.split(" ")[0] ?? "",
  heads:
    "SELECT network_id || ' ' || chain AS chain, block_number FROM primary_heads WHERE block_number >= 0 AND chain <> 'C'",
};

/** Name of a chain (P or X) in the notifications of `PRIMARY_BLOCKS`. */
export const primaryChainName = (networkId: string | number, chain: string): string => `${networkId} ${chain}`;

/** The payload of a notification. */
export const blockPayload = (chain: string, blockNumber: number): string =>
  JSON.stringify({ chain, blockNumber: String(blockNumber) });
