import { Page, type PageContext } from "../../../core/graph/connection-page.ts";
import { type PageOptions, partOf } from "../../../core/graph/page.ts";
import type { MetricsContext } from "../context.ts";
import type { NumberForm } from "./uuid-tokens.ts";

/** Makes the page token of the next page; null on the last page. */
type MakeToken = () => string | null;

/** A page whose page token may differ from its cursors. */
export class MetricsPage<Item> extends Page<Item> {
  readonly #makeToken: MakeToken;
  readonly #pageContext: PageContext;
  #token: string | null | undefined;

  constructor(nodes: Item[], context: PageContext, makeToken: MakeToken) {
    super(nodes, context);
    this.#pageContext = context;
    this.#makeToken = makeToken;
  }

  override withNodes<Other>(nodes: Other[]): MetricsPage<Other> {
    return new MetricsPage(nodes, this.#pageContext, this.#makeToken);
  }

  override get nextPageToken(): string | null {
    if (this.#token === undefined) this.#token = this.#makeToken();
    return this.#token;
  }
}

interface MetricsPageOptions<Row> extends Omit<PageOptions<Row>, "cursorOf"> {
  /** Name of the list, to which cursors and page tokens belong. */
  readonly list: string;
  /** Parameters of the list, to which cursors and page tokens belong. */
  readonly parameters: readonly unknown[];
  /** The form of its page tokens if they are UUIDs. Absent: they are cursors. */
  readonly form?: NumberForm;
  /** Values of a row in the columns of the order, separated by spaces. */
  readonly positionOf: (row: Row) => string;
  /** The position from which the list continues in the direction of the page, if the page ends before it is full; otherwise null. */
  readonly nextPlace?: string | null;
  /** The chain's last indexed block. */
  readonly head: string;
}

/** As `pageOf`, for a list of this subgraph. */
export function metricsPageOf<Row>(
  rows: Row[],
  { list, parameters, form, positionOf, nextPlace = null, head, ...options }: MetricsPageOptions<Row>,
  { cursors, uuidTokens }: MetricsContext,
): MetricsPage<Row> {
  const cursorAt = (position: string) =>
    cursors.sign(list, parameters, { position: position.split(" "), heads: [head] });
  const { items, context } = partOf(rows, { ...options, cursorOf: (row) => cursorAt(positionOf(row)) });
  const last = items.at(-1);
  const { size, isBackward } = options;
  const place = rows.length > size ? null : nextPlace;
  const end =
    place !== null && !isBackward ? place : context.hasNextPage && last !== undefined ? positionOf(last) : null;
  const tokenAt = (cursor: string) =>
    form ? uuidTokens.issue({ list, parameters, form }, { cursor, head }) : cursorAt(cursor);
  const makeToken = () => end && tokenAt(end);
  if (place === null) return new MetricsPage(items, context, makeToken);
  const further = isBackward
    ? { hasPreviousPage: true, startCursor: () => cursorAt(place) }
    : { hasNextPage: true, endCursor: () => cursorAt(place) };
  return new MetricsPage(items, { ...context, ...further }, makeToken);
}
