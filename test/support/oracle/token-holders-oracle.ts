import type { FactRow } from "./fact-row.ts";

/** What the lists of holders of a token are computed from. */
export interface TokenHistory {
  /** Rows of `erc20_balances` of the token, in the order of blocks. */
  readonly changes: readonly FactRow[];
  /** Time of each block, in seconds. */
  readonly secondsOf: ReadonlyMap<number, number>;
}

export interface TimeFrame {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface ExpectedHolder {
  readonly address: string;
  readonly balance: bigint;
}

/** The history of one token among the oracle's rows of a chain. */
export function tokenHistory(
  token: string,
  balances: readonly FactRow[],
  blocks: readonly { readonly number: number; readonly seconds: number }[],
): TokenHistory {
  const changes = balances.filter(({ token_address }) => token_address === token);
  return { changes, secondsOf: new Map(blocks.map(({ number, seconds }) => [number, seconds])) };
}

/** Numbers of tokens of an NFT collection after each transfer, in the form of `TokenHistory.changes`. */
export function collectionChanges(collection: string, transfers: readonly FactRow[]): FactRow[] {
  const held = new Map<string, bigint>();
  return transfers
    .filter(({ token_address }) => token_address === collection)
    .sort((a, b) => Number(a["block_number"]) - Number(b["block_number"]))
    .flatMap(({ from_address, to_address, value, block_number = "" }) => {
      // An ERC-721 transfer has no value: it moves one token.
      const amount = BigInt(value ?? 1);
      const sides = [
        [from_address ?? "", -amount],
        [to_address ?? "", amount],
      ] as const;
      return sides
        .filter(([address]) => BigInt(address) !== 0n)
        .map(([address, change]): FactRow => {
          const balance = (held.get(address) ?? 0n) + change;
          held.set(address, balance);
          return { token_address: collection, address, block_number, balance: balance.toString() };
        });
    });
}

/** All addresses whose balance was above the threshold when the frame began or after a block of it, with their last balances. */
export function expectedHoldersAbove(
  { changes, secondsOf }: TokenHistory,
  threshold: bigint,
  { from = 0, to = Number.POSITIVE_INFINITY }: TimeFrame,
): ExpectedHolder[] {
  if (from >= to) return [];
  const found: (ExpectedHolder & { readonly peak: bigint })[] = [];
  for (const [address, steps] of byAddress(changes)) {
    const timed = steps.map(({ block, balance }) => ({ seconds: secondsOf.get(block) ?? 0, balance }));
    const entered = timed.filter(({ seconds }) => seconds < from).at(-1)?.balance ?? 0n;
    const inside = timed.filter(({ seconds }) => seconds >= from && seconds < to).map(({ balance }) => balance);
    if (![entered, ...inside].some((balance) => balance > threshold)) continue;
    const [highest] = timed.map(({ balance }) => balance).sort((a, b) => compare(b, a));
    found.push({ address, balance: timed.at(-1)?.balance ?? 0n, peak: highest ?? 0n });
  }
  found.sort((a, b) => compare(a.peak, b.peak) || compare(a.address, b.address));
  return found.map(({ address, balance }) => ({ address, balance }));
}

/** All addresses with a balance above 0 after a block, greatest balance first; equal balances by address, last first. */
export function expectedHolders({ changes }: Pick<TokenHistory, "changes">, block: number): ExpectedHolder[] {
  return lastBalances(changes, block)
    .filter(({ balance }) => balance > 0n)
    .sort((a, b) => compare(b.balance, a.balance) || compare(b.address, a.address));
}

/** The sum of all balances after a block. */
export function expectedSupply({ changes }: Pick<TokenHistory, "changes">, block: number): bigint {
  return lastBalances(changes, block).reduce((sum, { balance }) => sum + balance, 0n);
}

function lastBalances(changes: readonly FactRow[], last: number): ExpectedHolder[] {
  return [...byAddress(changes)].map(([address, steps]) => ({
    address,
    balance: steps.filter(({ block }) => block <= last).at(-1)?.balance ?? 0n,
  }));
}

function byAddress(changes: readonly FactRow[]): Map<string, { block: number; balance: bigint }[]> {
  const steps = new Map<string, { block: number; balance: bigint }[]>();
  for (const { address, block_number, balance } of changes) {
    const known = steps.get(address ?? "") ?? [];
    if (known.length === 0) steps.set(address ?? "", known);
    known.push({ block: Number(block_number), balance: BigInt(balance ?? 0) });
  }
  return steps;
}

const compare = <Value extends bigint | string>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);
