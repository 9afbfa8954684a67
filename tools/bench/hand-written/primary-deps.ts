import type pg from "pg";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Networks } from "../../../subgraphs/primary-network/networks/store.ts";
import type { Observations } from "../../../subgraphs/primary-network/validators/observations.ts";
import type { StakeTotals } from "../../../subgraphs/primary-network/validators/stake-totals.ts";

/** Objects that a server keeps between requests, as Moraine does. */
export interface PrimaryDeps {
  readonly pool: pg.Pool;
  readonly tokens: PageTokens;
  readonly networks: Networks;
  readonly stakeTotals: StakeTotals;
  readonly observations: Observations;
}
