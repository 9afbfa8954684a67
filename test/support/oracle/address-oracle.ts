import type { Recording } from "../../../recordings/recording.ts";
import { recordedChain } from "../recorded/node-chain.ts";
import { type RecordedState, recordedState } from "../recorded/recorded-state.ts";
import { expectedActivity } from "./activity-oracle.ts";
import type { FactRow } from "./fact-row.ts";
import { expectedFacts } from "./facts-oracle.ts";
import { expectedHoldings } from "./holdings-oracle.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** What a recorded chain says of each address. */
export interface RecordedAddresses {
  readonly chainId: string;
  /** Addresses that took part in transactions. */
  readonly active: readonly FactRow[];
  /** Balances above 0, in the order of the lists. */
  readonly erc20: readonly FactRow[];
  readonly nfts: readonly FactRow[];
  /** Timestamps by number of the block. */
  readonly times: ReadonlyMap<string, number>;
  readonly state: RecordedState;
}

export function recordedAddresses(recording: Recording, name: "c" | "l1"): RecordedAddresses {
  const chain = recordedChain(recording, name);
  const facts = expectedFacts(chain, chain.blocks);
  const { erc20_holders, nft_holdings } = expectedHoldings(chain.chainId, facts);
  return {
    chainId: String(chain.chainId),
    active: expectedActivity(chain, chain.blocks, facts).evm_addresses,
    erc20: erc20_holders.filter(isPositive).sort(byColumns("token_address")),
    nfts: nft_holdings.filter(isPositive).sort(byColumns("token_address", "token_id", "erc_type")),
    times: new Map(chain.blocks.map(({ block }) => [String(Number(block.number)), Number(block.timestamp)])),
    state: recordedState(recording, chain),
  };
}

function isPositive({ balance }: FactRow): boolean {
  return BigInt(String(balance)) > 0n;
}

/** By numbers where both values are decimal, otherwise by text. */
function byColumns(...columns: readonly string[]) {
  const sortable = (row: FactRow) => columns.map((column) => String(row[column]).padStart(78, "0")).join(" ");
  return (a: FactRow, b: FactRow): number => (sortable(a) < sortable(b) ? -1 : 1);
}

export const ofAddress = (rows: readonly FactRow[], address: string) =>
  rows.filter((row) => row["address"] === address);

/** The expected item of `EvmAddress.erc20Balances`. */
export const erc20Item = (chainId: string, { token_address, balance }: FactRow) => ({
  token: { __typename: "Erc20Token", chainId, address: token_address },
  balance,
});

/** The expected item of `EvmAddress.nfts`. */
export const nftItem = (chainId: string, { token_address, token_id, erc_type, balance }: FactRow) => ({
  token: {
    __typename: erc_type === "ERC-721" ? "Erc721Token" : "Erc1155Token",
    chainId,
    address: token_address,
    tokenId: token_id,
  },
  balance,
});

/**
 * The expected `EvmAddress` of every address that holds a token or was active, and of some that the chain does not know. The
 * zero address is left out.
 */
export function expectedAddresses(
  { chainId, active, erc20, nfts, times }: RecordedAddresses,
  unknown: readonly string[],
) {
  const known = [...active, ...erc20, ...nfts].map(({ address }) => String(address));
  const seen = (number: unknown) =>
    number ? { blockNumber: number, blockTimestamp: times.get(String(number)) } : null;
  return [...new Set([...known, ...unknown])]
    .filter((address) => address !== ZERO_ADDRESS)
    .map((address) => {
      const [row] = ofAddress(active, address);
      return {
        chainId,
        address,
        firstSeen: seen(row?.["first_block_number"]),
        lastSeen: seen(row?.["last_block_number"]),
        transactionCount: row?.["transaction_count"] ?? "0",
        erc20Balances: {
          nextPageToken: null,
          balances: ofAddress(erc20, address).map((one) => erc20Item(chainId, one)),
        },
        nfts: { nextPageToken: null, balances: ofAddress(nfts, address).map((one) => nftItem(chainId, one)) },
      };
    });
}
