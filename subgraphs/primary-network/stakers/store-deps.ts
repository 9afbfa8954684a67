import type { Database } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Networks } from "../networks/store.ts";
import type { StakerPages } from "./pages.ts";

/** What the stores of validations and of delegations read with. */
export interface StakerStoreDeps {
  readonly database: Pick<Database, "pool" | "prisma">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly pages: StakerPages;
  readonly nowSeconds: () => number;
}
