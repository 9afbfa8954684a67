import type { FactRow } from "./fact-row.ts";
import type { Facts } from "./facts-oracle.ts";

/** The tables of the holders, supplies and counters of tokens. */
export const HOLDING_TABLES = [
  "erc20_holders",
  "erc20_supplies",
  "erc20_counts",
  "nft_holdings",
  "nft_item_balances",
  "nft_holders",
  "nft_collection_balances",
  "nft_supplies",
  "nft_counts",
  "erc1155_supplies",
] as const;
export type HoldingRows = Readonly<Record<(typeof HOLDING_TABLES)[number], readonly FactRow[]>>;

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/**
 * The expected holders, supplies and counters of a chain whose other rows are `facts`. It keeps all balances in maps, counts holders
 * again after each block, and uses no code of the indexer.
 */
export function expectedHoldings(
  chainId: number,
  facts: Pick<Facts, "erc20_balances" | "erc20_transfers" | "erc721_transfers" | "erc1155_transfers">,
): HoldingRows {
  const chain_id = String(chainId);
  const erc20 = historyOf(
    facts.erc20_balances.map(({ token_address, address, block_number, balance }) => ({
      key: `${token_address} ${address}`,
      block: Number(block_number),
      set: BigInt(balance ?? 0),
    })),
  );
  const transfers = [...facts.erc721_transfers, ...facts.erc1155_transfers];
  const items = historyOf(transfers.flatMap((row) => partsOf(row, `${row["token_id"]} ${typeOf(row)}`)));
  const collections = historyOf(transfers.flatMap((row) => partsOf(row)));
  const withChain = (row: FactRow): FactRow => ({ chain_id, ...row });
  return {
    erc20_holders: erc20HoldersOf(facts.erc20_balances).map(withChain),
    erc20_supplies: suppliesOf(erc20).map(withChain),
    erc20_counts: countsOf(erc20, facts.erc20_transfers).map(withChain),
    nft_holdings: holdersOf(items).map(withChain),
    nft_item_balances: balancesOf(items).map(withChain),
    nft_holders: holdersOf(collections).map(withChain),
    nft_collection_balances: balancesOf(collections).map(withChain),
    nft_supplies: suppliesOf(collections).map(withChain),
    erc1155_supplies: itemSuppliesOf(items).map(withChain),
    nft_counts: countsOf(collections, transfers).map(withChain),
  };
}

/** A change of a balance: a new value, or an amount that is added. */
interface Change {
  /** Token, address, and token id and standard if they are counted separately; separated by spaces. */
  readonly key: string;
  readonly block: number;
  readonly set?: bigint;
  readonly add?: bigint;
}

/** All balances after a block in which one of them changed. */
interface Moment {
  readonly block: number;
  readonly balances: ReadonlyMap<string, bigint>;
}

function historyOf(changes: readonly Change[]): Moment[] {
  const blocks = [...new Set(changes.map(({ block }) => block))].sort((a, b) => a - b);
  const balances = new Map<string, bigint>();
  return blocks.map((block) => {
    for (const { key, set, add } of changes.filter((change) => change.block === block))
      balances.set(key, set ?? (balances.get(key) ?? 0n) + (add ?? 0n));
    return { block, balances: new Map(balances) };
  });
}

const typeOf = (row: FactRow): string => ("batch_index" in row ? "ERC-1155" : "ERC-721");

function partsOf(row: FactRow, item?: string): Change[] {
  const amount = BigInt(row["value"] ?? 1);
  const sides = [
    [row["from_address"], -amount],
    [row["to_address"], amount],
  ] as const;
  return sides
    .filter(([address]) => address !== ZERO_ADDRESS)
    .map(([address, add]) => ({
      key: [row["token_address"], address, item].filter(Boolean).join(" "),
      block: Number(row["block_number"]),
      add,
    }));
}

function holdersOf(history: readonly Moment[]): FactRow[] {
  const last = history.at(-1)?.balances ?? new Map<string, bigint>();
  return [...last].filter(([, balance]) => balance !== 0n).map(([key, balance]) => balanceRow(key, balance));
}

function balanceRow(key: string, balance: bigint): FactRow {
  const [token_address = "", address = "", token_id, erc_type] = key.split(" ");
  const row = { address, token_address, balance: balance.toString() };
  return token_id && erc_type ? { ...row, token_id, erc_type } : row;
}

/** A row for each block after which an address has another balance than before. */
function balancesOf(history: readonly Moment[]): FactRow[] {
  return history.flatMap(({ block, balances }, at) => {
    const before = history[at - 1]?.balances;
    return [...balances]
      .filter(([key, balance]) => balance !== (before?.get(key) ?? 0n))
      .map(([key, balance]): FactRow => ({ ...balanceRow(key, balance), block_number: String(block) }));
  });
}

/** A row for each address that ever had a balance of a token. */
function erc20HoldersOf(balances: readonly FactRow[]): FactRow[] {
  const holders = new Map<string, { block: number; balance: bigint }[]>();
  for (const { token_address, address, block_number, balance } of balances) {
    const key = `${token_address} ${address}`;
    const steps = holders.get(key) ?? [];
    holders.set(key, steps);
    steps.push({ block: Number(block_number), balance: BigInt(balance ?? 0) });
  }
  return [...holders].map(([key, steps]): FactRow => {
    const [token_address = "", address = ""] = key.split(" ");
    const inOrder = steps.sort((a, b) => a.block - b.block);
    const past = inOrder.slice(-8, -1);
    let highest = inOrder[0];
    for (const step of inOrder) if (step.balance > (highest?.balance ?? 0n)) highest = step;
    const blockAfter = inOrder.find(({ block }) => block > (highest?.block ?? 0))?.block;
    const others = inOrder.filter((step) => step !== highest).map(({ balance }) => balance);
    const [second] = others.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    return {
      token_address,
      address,
      balance: String(inOrder.at(-1)?.balance),
      max_balance: String(highest?.balance),
      max_block_number: String(highest?.block),
      first_block_number: String(inOrder[0]?.block),
      last_block_number: String(inOrder.at(-1)?.block),
      past_block_numbers: past.length > 0 ? `{${past.map(({ block }) => block)}}` : null,
      past_balances: past.length > 0 ? `{${past.map(({ balance }) => balance)}}` : null,
      max_end_block_number: blockAfter === undefined ? null : String(blockAfter),
      second_balance: second === undefined ? null : String(second),
    };
  });
}

/** A row for each token that was transferred. */
function countsOf(history: readonly Moment[], transfers: readonly FactRow[]): FactRow[] {
  const held = [...(history.at(-1)?.balances ?? [])].filter(([, balance]) => balance > 0n);
  return [...new Set(transfers.map(({ token_address }) => String(token_address)))].map((token_address) => ({
    token_address,
    transfer_count: String(transfers.filter((row) => row["token_address"] === token_address).length),
    holder_count: String(held.filter(([key]) => key.startsWith(token_address)).length),
  }));
}

/** The supplies of each ERC-1155 token id, as if it were a token. */
function itemSuppliesOf(history: readonly Moment[]): FactRow[] {
  const tokenIds = new Set(
    history.flatMap(({ balances }) => [...balances.keys()].map((key) => key.split(" ").slice(2).join(" "))),
  );
  return [...tokenIds]
    .filter((item) => item.endsWith(" ERC-1155"))
    .flatMap((item) => {
      const ofItem = history.map(({ block, balances }) => ({
        block,
        balances: new Map([...balances].filter(([key]) => key.endsWith(` ${item}`))),
      }));
      return suppliesOf(ofItem).map((row): FactRow => ({ ...row, token_id: item.split(" ")[0] ?? "" }));
    });
}

function suppliesOf(history: readonly Moment[]): FactRow[] {
  const rows: FactRow[] = [];
  const before = new Map<string, string>();
  for (const { block, balances } of history) {
    const tokens = new Map<string, bigint[]>();
    for (const [key, balance] of balances) {
      const token = key.slice(0, ZERO_ADDRESS.length);
      tokens.set(token, [...(tokens.get(token) ?? []), balance]);
    }
    for (const [token_address, held] of tokens) {
      const holder_count = String(held.filter((balance) => balance > 0n).length);
      const total_supply = held.reduce((sum, balance) => sum + balance, 0n).toString();
      const supply = `${holder_count} ${total_supply}`;
      if (supply !== (before.get(token_address) ?? "0 0"))
        rows.push({ token_address, block_number: String(block), holder_count, total_supply });
      before.set(token_address, supply);
    }
  }
  return rows;
}
