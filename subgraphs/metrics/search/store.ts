import { createHash } from "node:crypto";
import type { Config } from "../../../core/config/config-schema.ts";
import { rowsOfEach } from "../../../core/database/by-partition.ts";
import { type Databases, prepared } from "../../../core/database/database.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { formatAddress } from "../../../core/formats/bech32.ts";
import type { Position } from "../../../core/graph/page.ts";
import { type Chains, createChains } from "../../../core/networks/chains.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { noteMissing } from "../../../core/work/server-choice.ts";
import type { Work } from "../../../core/work/work.ts";
import { createCoverage, type Scope } from "./coverage.ts";
import { KINDS, type Kind } from "./kinds.ts";
import { RANKS, rankOf } from "./name-statements.ts";
import { parseText, type SearchText } from "./parse-text.ts";
import type { Found, SearchResults } from "./types.ts";

export interface SearchStore {
  /**
   * Finds what a text names, at most `size` results after the position `after` (null: the first ones). Runs one statement for each
   * kind that the text can name and for each chain or network, those of a kind together. Throws `INVALID_PARAMETER` for a text that cannot be
   * searched, and `UNAVAILABLE` if nothing is found and nothing is indexed yet of a chain that could have a result.
   */
  search(text: string, size: number, work: Work, after?: Position | null): Promise<SearchPage>;
}

export interface SearchPage extends Omit<SearchResults, "endCursor"> {
  /** Position of the last result; null if no more results can be read. */
  readonly end: Position | null;
}

/** A search can be read up to about this number of results: those before the ones that are wanted are read again. */
const MAX_REACH = 1_000;

/** A result with the fields that its statement selects. */
interface FoundRow extends Found {
  readonly chainId?: string;
  readonly networkId?: string;
  readonly chain?: PrimaryChain;
  readonly address?: string;
  /** An address of a primary network as `0x` hex, with the Bech32 prefix of the network. */
  readonly owner?: string;
  readonly hrp?: string;
  /** Time by which the first one of the rows of all chains is chosen. */
  readonly firstBy?: string;
  readonly blockchainId?: string;
  /** How the name matches, one of `RANKS`; undefined for results that are not found by name. */
  readonly rank?: number;
}

type SearchConfig = Pick<Config, "evmChains" | "primaryNetworks">;

export function createSearchStore(databases: Pick<Databases, "evm" | "primary">, config: SearchConfig): SearchStore {
  const chains = createChains(config);
  const coverage = createCoverage(databases, config);
  const finders = KINDS.map((kind, index) => createFinder(databases, config, kind, index));
  return {
    async search(given, size, work, after = null) {
      const text = parseText(given);
      const before = lastResultOf(after);
      const limit = before.count + size + 1;
      const missing = coverage.missing(scopeOf(text, limit), work);
      const [notSearched, ...lists] = await Promise.all([missing, ...finders.map((find) => find(text, limit, work))]);
      const found = [...chainsOf(text, chains, config), ...lists.flatMap(({ rows }) => rows)];
      if (found.length === 0 && notSearched.length > 0)
        throw new Failure(
          "UNAVAILABLE",
          `nothing is found for ${quoted(text.text)}, but not every chain can be searched: ${notSearched.join("; ")}`,
        );
      if (found.length === 0) noteMissing(work);
      const ordered = found.toSorted((a, b) => rankIn(a) - rankIn(b));
      const start = startAfter(ordered, before);
      const results = ordered.slice(start, start + size);
      const hasMore = ordered.length > start + size || lists.some(({ isCut }) => isCut);
      return { results, hasMore, notSearched, end: hasMore ? endOf(results, start) : null };
    },
  };
}

const rankIn = ({ rank = RANKS.whole }: FoundRow): number => rank;

/** The last result of a page: how many results there were up to it, and a digest by which it is found again. */
interface LastResult {
  readonly count: number;
  readonly digest: string;
}

const digestOf = (row: FoundRow): string => createHash("sha256").update(JSON.stringify(row)).digest("base64url");

function lastResultOf(position: Position | null): LastResult {
  const [count = "0", digest = ""] = position ?? [];
  return { count: Number(count), digest };
}

/** Where a page begins: after the last result of the page before, or if that is no longer found, after as many results as there were. */
function startAfter(rows: readonly FoundRow[], { count, digest }: LastResult): number {
  if (count === 0) return 0;
  const last = rows.findIndex((row) => digestOf(row) === digest);
  return last === -1 ? count : last + 1;
}

function endOf(results: readonly FoundRow[], start: number): Position | null {
  const [last, count] = [results.at(-1), start + results.length];
  return last && count < MAX_REACH ? [String(count), digestOf(last)] : null;
}

interface FoundRows {
  readonly rows: readonly FoundRow[];
  /** True if there may be more rows than the statements were asked for. */
  readonly isCut: boolean;
}

type Find = (text: SearchText, limit: number, work: Work) => Promise<FoundRows>;

function createFinder(
  { evm, primary }: Pick<Databases, "evm" | "primary">,
  config: SearchConfig,
  { kind, scope, sql, values, isSingle = false }: Kind,
  index: number,
): Find {
  const { pool } = scope === "evm" ? evm : primary;
  const read = prepared<Omit<FoundRow, "kind"> & Record<string, unknown>>(pool, `search-${index}-${kind}`, sql);
  const networks = new Map(config.primaryNetworks.map(({ network, networkId }) => [String(networkId), network]));
  const ids = scope === "evm" ? config.evmChains.map(({ chainId }) => String(chainId)) : [...networks.keys()];
  /** Where the sort puts a row. It is 0 for rows that are found by name, which keep the order of their statement. */
  const positionOf = ({ chainId, networkId, chain, rank }: Omit<FoundRow, "kind">): number =>
    rank === undefined ? ids.indexOf(chainId ?? networkId ?? "") * 3 + (chain ? "PXC".indexOf(chain) : 0) : 0;
  return async (text, limit, work) => {
    const others = values(text, limit);
    if (!others) return { rows: [], isCut: false };
    const found = await rowsOfEach(
      read,
      ids.map((id) => [id, ...others]),
      work,
    );
    const rows = distinct(found.flat());
    const results = (isSingle ? firstOf(rows) : rows)
      .sort((a, b) => positionOf(a) - positionOf(b))
      .map((row) => ({
        ...row,
        kind,
        ...bech32Of(row),
        network: networks.get(row.networkId ?? ""),
        chainName: row.chain && PRIMARY_CHAIN_ALIASES[row.chain],
      }));
    return { rows: results, isCut: found.some((rows) => rows.length >= limit) };
  };
}

/** The address of a row that has an owner, in the form of answers. */
function bech32Of({ owner, hrp }: Omit<FoundRow, "kind">): { readonly address?: string } {
  if (owner === undefined || hrp === undefined) return {};
  return { address: formatAddress({ chain: null, prefix: hrp, address: owner.slice(2) }) };
}

/** The row with the least `firstBy`, then with the least chain id; the first row if there are no such columns. */
function firstOf<Row extends Pick<FoundRow, "firstBy" | "chainId">>(rows: readonly Row[]): Row[] {
  const compare = (a = "0", b = "0") => Number(a) - Number(b);
  return rows.toSorted((a, b) => compare(a.firstBy, b.firstBy) || compare(a.chainId, b.chainId)).slice(0, 1);
}

/** Leaves out the other rows of a result whose name matches in several ways. The rows of a chain are in the order of their ranks. */
function distinct<Row extends Omit<FoundRow, "kind">>(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter(({ rank, chainId, networkId, address, blockchainId }) => {
    const key = `${chainId ?? networkId} ${address ?? blockchainId}`;
    return rank === undefined || (!seen.has(key) && Boolean(seen.add(key)));
  });
}

/** The configured EVM chains that the text names by EVM chain id, blockchain id, or name. */
function chainsOf({ text, name }: SearchText, chains: Chains, { evmChains }: SearchConfig): FoundRow[] {
  const byId = chains.get(text);
  return evmChains.flatMap((chain) => {
    const rank = chain === byId ? RANKS.whole : name === null ? null : rankOf(chain.chainName, name);
    return rank === null ? [] : [{ kind: "Chain", chainId: String(chain.chainId), rank }];
  });
}

/** The chains on which something can have the text as its name, number, id or address. */
function scopeOf(text: SearchText, limit: number): Scope {
  const scopes = KINDS.filter(({ values }) => values(text, limit)).map(({ scope }) => scope);
  return { evm: scopes.includes("evm"), primary: new Set(scopes.flatMap((scope) => (scope === "evm" ? [] : scope))) };
}
