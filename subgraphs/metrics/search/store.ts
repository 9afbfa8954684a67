import type { Config } from "../../../core/config/config-schema.ts";
import { rowsOfEach } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { type Chains, createChains } from "../../../core/networks/chains.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { createCoverage, type Scope } from "./coverage.ts";
import { KINDS, type Kind } from "./kinds.ts";
import { parseText, type SearchText } from "./parse-text.ts";
import type { Found, SearchResults } from "./types.ts";

export interface SearchStore {
  /**
   * Finds what a text names, at most `size` results. Runs one statement for each kind that the text can name and for each chain or network,
   * those of a kind together. Throws `INVALID_PARAMETER` for a text that cannot be searched, and `UNAVAILABLE` if nothing is found and
   * nothing is indexed yet of a chain that could have a result.
   */
  search(text: string, size: number, work: Work): Promise<SearchResults>;
}

/** A result with the fields that its statement selects. */
interface FoundRow extends Found {
  readonly chainId?: string;
  readonly networkId?: string;
  readonly chain?: PrimaryChain;
  readonly address?: string;
  /** Time by which the first one of the rows of all chains is chosen. */
  readonly firstBy?: string;
  /** False only for a token whose name or symbol is longer than the text. */
  readonly isExact?: boolean;
}

type SearchConfig = Pick<Config, "evmChains" | "primaryNetworks">;

export function createSearchStore({ pool }: Pick<Database, "pool">, config: SearchConfig): SearchStore {
  const chains = createChains(config);
  const coverage = createCoverage({ pool }, config);
  const finders = KINDS.map((kind, index) => createFinder(pool, config, kind, index));
  return {
    async search(given, size, work) {
      const text = parseText(given);
      const limit = size + 1;
      const missing = coverage.missing(scopeOf(text, limit), work);
      const [notSearched, ...lists] = await Promise.all([missing, ...finders.map((find) => find(text, limit, work))]);
      const found = [...chainsOf(text, chains), ...lists.flat()];
      if (found.length === 0 && notSearched.length > 0)
        throw new Failure(
          "UNAVAILABLE",
          `nothing is found for ${quoted(text.text)}, but not every chain can be searched: ${notSearched.join("; ")}`,
        );
      const results = [...found.filter(isExact), ...found.filter((one) => !isExact(one))];
      return { results: results.slice(0, size), hasMore: results.length > size, notSearched };
    },
  };
}

const isExact = ({ isExact = true }: FoundRow): boolean => isExact;

type Find = (text: SearchText, limit: number, work: Work) => Promise<readonly FoundRow[]>;

function createFinder(
  pool: Database["pool"],
  config: SearchConfig,
  { kind, scope, sql, values, isSingle = false }: Kind,
  index: number,
): Find {
  const read = prepared<Omit<FoundRow, "kind"> & Record<string, unknown>>(pool, `search-${index}-${kind}`, sql);
  const networks = new Map(config.primaryNetworks.map(({ network, networkId }) => [String(networkId), network]));
  const ids = scope === "evm" ? config.evmChains.map(({ chainId }) => String(chainId)) : [...networks.keys()];
  /** Where the sort puts a row. It is 0 for rows of tokens, which keep the order of their statement. */
  const positionOf = ({ chainId, networkId, chain, isExact }: Omit<FoundRow, "kind">): number =>
    isExact === undefined ? ids.indexOf(chainId ?? networkId ?? "") * 3 + (chain ? "PXC".indexOf(chain) : 0) : 0;
  return async (text, limit, work) => {
    const others = values(text, limit);
    if (!others) return [];
    const found = await rowsOfEach(
      read,
      ids.map((id) => [id, ...others]),
      work,
    );
    const rows = distinctTokens(found.flat());
    return (isSingle ? firstOf(rows) : rows)
      .sort((a, b) => positionOf(a) - positionOf(b))
      .map((row) => ({
        ...row,
        kind,
        network: networks.get(row.networkId ?? ""),
        chainName: row.chain && PRIMARY_CHAIN_ALIASES[row.chain],
      }));
  };
}

/** The row with the least `firstBy`, then with the least chain id; the first row if there are no such columns. */
function firstOf<Row extends Pick<FoundRow, "firstBy" | "chainId">>(rows: readonly Row[]): Row[] {
  const compare = (a = "0", b = "0") => Number(a) - Number(b);
  return rows.toSorted((a, b) => compare(a.firstBy, b.firstBy) || compare(a.chainId, b.chainId)).slice(0, 1);
}

/** Leaves out the second row of a token whose symbol and name both match. */
function distinctTokens<Row extends Omit<FoundRow, "kind">>(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter(({ isExact, chainId, address }) => {
    const key = `${chainId} ${address}`;
    return isExact === undefined || (!seen.has(key) && Boolean(seen.add(key)));
  });
}

/** The configured EVM chain that the text names by its EVM chain id or blockchain id. */
function chainsOf({ text }: SearchText, chains: Chains): FoundRow[] {
  const chain = chains.get(text);
  return chain ? [{ kind: "Chain", chainId: String(chain.chainId) }] : [];
}

/** The chains on which something can have the text as its name, number, id or address. */
function scopeOf(text: SearchText, limit: number): Scope {
  const scopes = KINDS.filter(({ values }) => values(text, limit)).map(({ scope }) => scope);
  return { evm: scopes.includes("evm"), primary: new Set(scopes.flatMap((scope) => (scope === "evm" ? [] : scope))) };
}
