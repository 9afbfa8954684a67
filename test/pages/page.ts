import { readdirSync, readFileSync } from "node:fs";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { type Served, serveGraph } from "../federation/served.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import { expectedFacts, type Facts } from "../support/oracle/facts-oracle.ts";
import { expectedHoldings, type HoldingRows } from "../support/oracle/holdings-oracle.ts";
import { type RecordedChain, recordedChain } from "../support/recorded/node-chain.ts";
import { type RecordedState, recordedState } from "../support/recorded/recorded-state.ts";
import { serveSignatures } from "../support/signatures/served-signatures.ts";

const FOLDER = "examples/pages";

/** Names of all pages, such as `02-token`, in order. */
export const PAGES: readonly string[] = readdirSync(FOLDER)
  .map((file) => file.replace(/\.graphql$/, ""))
  .sort();

/** The document of a page. */
export const documentOf = (name: string): string => readFileSync(`${FOLDER}/${name}.graphql`, "utf8");

export type Variables = Readonly<Record<string, unknown>>;

/** The graph over the recorded network, whose node and validators answer too. */
export interface ServedPages extends Served {
  /** The data of a page. Fails if the answer has errors. */
  ask(name: string, variables: Variables): Promise<unknown>;
}

export async function servePages(): Promise<ServedPages> {
  const database = await indexedAlphaNetwork();
  const { evmChains, primaryNetworks } = database.config;
  const nodeUrl = new URL(evmChains[0]?.nodeUrl ?? "").origin;
  const config = { ...database.config, primaryNetworks: primaryNetworks.map((network) => ({ ...network, nodeUrl })) };
  const signatures = await serveSignatures(database.url, config);
  const served = await serveGraph({ database, config }, undefined, () => signatures.url);
  return {
    url: served.url,
    async ask(name, variables) {
      const response = await fetch(served.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: documentOf(name), variables }),
      });
      const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
      expect([name, errors]).toEqual([name, undefined]);
      return data;
    },
    async [Symbol.asyncDispose]() {
      for (const part of [served, signatures, database]) await part[Symbol.asyncDispose]();
    },
  };
}

/**
 * The value at a path such as `chain.erc20Tokens.nodes.*.address`: below `*`, a list of the values of all items. Addresses are in lower
 * case.
 */
export function at(value: unknown, path: string): unknown {
  const [step = "", ...rest] = path.split(".");
  const below = rest.join(".");
  if (step === "*") return (value as readonly unknown[]).map((item) => (below === "" ? lower(item) : at(item, below)));
  const member = (value as Readonly<Record<string, unknown>> | null)?.[step];
  return below === "" ? lower(member) : member == null ? member : at(member, below);
}

const lower = (value: unknown): unknown =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value;

/** The same as a list. */
export const listAt = (value: unknown, path: string): readonly unknown[] => at(value, path) as readonly unknown[];

/** What the nodes of a recorded EVM chain answered, and what follows from it. */
export interface ChainFacts {
  readonly id: string;
  readonly chain: RecordedChain;
  readonly facts: Facts;
  readonly holdings: HoldingRows;
  readonly state: RecordedState;
  readonly head: number;
}

const factsOfChain = (name: "c" | "l1"): ChainFacts => {
  const recording = openRecording(ALPHA);
  const chain = recordedChain(recording, name);
  const facts = expectedFacts(chain, chain.blocks);
  return {
    id: String(chain.chainId),
    chain,
    facts,
    holdings: expectedHoldings(chain.chainId, facts),
    state: recordedState(recording, chain),
    head: chain.blocks.length - 1,
  };
};

/** The C-Chain and the L1 of the recording. */
export const evmFacts = (): readonly [ChainFacts, ChainFacts] => [factsOfChain("c"), factsOfChain("l1")];

/** Rows of any chains, newest first. `order` are the columns that order the rows of a block. */
export function newestFirst(rows: readonly FactRow[], ...order: readonly string[]): FactRow[] {
  const columns = ["block_timestamp", "chain_id", "block_number", ...order];
  return rows.toSorted((one, other) => {
    const column = columns.find((name) => one[name] !== other[name]);
    return column === undefined ? 0 : Number(other[column]) - Number(one[column]);
  });
}

/** True if the address sent or received. */
export const involves =
  (address: string) =>
  ({ from_address, to_address }: FactRow): boolean =>
    from_address === address || to_address === address;

/** The values of a column, of the first rows. */
export const columnOf = (rows: readonly FactRow[], name: string, count = 10) =>
  rows.slice(0, count).map((row) => row[name] ?? null);

/** The value that most rows have in a column. */
export function most(rows: readonly FactRow[], name: string): string {
  const counts = new Map<string, number>();
  for (const row of rows) if (row[name]) counts.set(row[name], (counts.get(row[name]) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}
