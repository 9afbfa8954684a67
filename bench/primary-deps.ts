import type pg from "pg";
import type { PageTokens } from "../core/page.ts";
import type { Networks } from "../subgraphs/primary-network/networks/store.ts";
import type { Observations } from "../subgraphs/primary-network/validators/observations.ts";
import type { StakeTotals } from "../subgraphs/primary-network/validators/stake-totals.ts";

/** What the hand-written handlers of the primary network share: the same caches as Moraine's. */
export interface PrimaryDeps {
  readonly pool: pg.Pool;
  readonly tokens: PageTokens;
  readonly networks: Networks;
  readonly stakeTotals: StakeTotals;
  readonly observations: Observations;
}
