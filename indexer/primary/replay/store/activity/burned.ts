/** SQL: the amount of an asset that the transaction of an alias of `primary_transactions` burned. `asset` is a parameter. */
export const burnedIn = (alias: string, asset: string): string =>
  `coalesce(${alias}.burned_amounts[array_position(${alias}.burned_asset_ids, ${asset}::bytea)], 0)`;
