/**
 * The rows of a statement by the request that they belong to. `request` is the ordinal of the request, from 1 on, as
 * `WITH ORDINALITY` numbers them.
 */
export function rowsByRequest<Row extends { readonly request: string }>(
  requests: readonly unknown[],
  rows: readonly Row[],
): Row[][] {
  const byRequest = requests.map((): Row[] => []);
  for (const row of rows) byRequest[Number(row.request) - 1]?.push(row);
  return byRequest;
}
