/** Makes the first page of rows that were read with a limit of `size + 1`. The token is null if no row follows the page. */
export function firstPageOf<Row>(
  rows: Row[],
  size: number,
  tokenAfter: (last: Row) => string,
): { items: Row[]; nextPageToken: string | null } {
  if (rows.length <= size) return { items: rows, nextPageToken: null };
  const items = rows.slice(0, size);
  return { items, nextPageToken: tokenAfter(items[size - 1] as Row) };
}
