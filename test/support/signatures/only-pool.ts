import type { IndexPools, Queries } from "../../../signatures/index/statement.ts";

/** One database with the rows of all chains and networks. */
export const onlyPool = (pool: Queries): IndexPools => ({ evm: () => pool, primary: () => pool });
