/**
 * Groups the rows of a statement by request. The column `request` is the number of the request, counted from 1, as
 * `WITH ORDINALITY` returns it.
 */
export function rowsByRequest<Row extends { readonly request: string }>(
  requests: readonly unknown[],
  rows: readonly Row[],
): Row[][] {
  const byRequest = requests.map((): Row[] => []);
  for (const row of rows) byRequest[Number(row.request) - 1]?.push(row);
  return byRequest;
}
