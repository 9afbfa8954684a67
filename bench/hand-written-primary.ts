import type { Express, Request, Response } from "express";
import type pg from "pg";
import type { Config } from "../core/config-schema.ts";
import type { Database } from "../core/database.ts";
import type { PageTokens } from "../core/page.ts";
import { ALIASES, findChain, type PrimaryChain } from "../subgraphs/primary-network/networks/chains.ts";
import { createNetworks, type ServedNetwork } from "../subgraphs/primary-network/networks/store.ts";
import { createBalancesAnswer } from "./hand-written-balances.ts";
import { createTransactionsAnswer } from "./hand-written-transactions.ts";
import { createValidatorsAnswer } from "./hand-written-validators.ts";

export interface PrimaryHandlersOptions {
  readonly database: Pick<Database, "pool">;
  readonly tokens: PageTokens;
  readonly primaryNetworks: Config["primaryNetworks"];
}

/** What answers of a chain of a primary network are made of. */
export interface Asked {
  readonly network: ServedNetwork;
  readonly chain: PrimaryChain;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** The answer to a request, or null where what is asked is refused or not implemented by hand. */
export type Answer<Of> = (asked: Of) => Promise<object | null>;

const PATH = "/v1/networks/:network/blockchains/:blockchainId";

/** E5 and E8 of the P-Chain and E12, for a network whose genesis is indexed. */
export function addPrimaryHandlers(app: Express, { database, tokens, primaryNetworks }: PrimaryHandlersOptions): void {
  const { pool } = database;
  const networks = createNetworks(database, { primaryNetworks });
}
