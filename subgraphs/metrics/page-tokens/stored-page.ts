import { Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { NEXT_PAGE_TOKEN } from "../../../core/graph/connection.ts";
import { Page, type PageContext } from "../../../core/graph/connection-page.ts";
import { type PageOptions, partOf } from "../../../core/graph/page.ts";
import { LoadsAll } from "../../shared/schema/load-all.ts";
import type { Loaded } from "../../shared/schema/loaded.ts";
import type { MetricsContext } from "../context.ts";

/** Makes the page token of the next page; null on the last page. */
type StoreToken = () => Promise<string | null>;

/** A page whose page token, which is stored for REST, is made only if it is selected. */
export class StoredPage<Item> extends Page<Item> {
  readonly #storeToken: StoreToken;
  readonly #pageContext: PageContext;
  #token: Loaded<string | null> | undefined;

  constructor(nodes: Item[], context: PageContext, storeToken: StoreToken) {
    super(nodes, context);
    this.#pageContext = context;
    this.#storeToken = storeToken;
  }

  override withNodes<Other>(nodes: Other[]): StoredPage<Other> {
    return new StoredPage(nodes, this.#pageContext, this.#storeToken);
  }

  storedToken(): Loaded<string | null> {
    this.#token ??= this.#loadToken();
    return this.#token;
  }

  async #loadToken(): Promise<string | null> {
    const token = await this.#storeToken();
    this.#token = token;
    return token;
  }
}

export interface StoredPageOptions<Row> extends Omit<PageOptions<Row>, "cursorOf"> {
  /** Name of the list, to which cursors and page tokens belong. */
  readonly list: string;
  /** Parameters of the list, to which cursors and page tokens belong. */
  readonly parameters: readonly unknown[];
  /** Values of a row in the columns of the order, separated by spaces. */
  readonly positionOf: (row: Row) => string;
  /** The position from which the list continues in the direction of the page, if the page ends before it is full; otherwise null. */
  readonly nextPlace?: string | null;
  /** The chain's last indexed block. */
  readonly head: string;
}

/** As `pageOf`, for a list of this subgraph. */
export function storedPageOf<Row>(
  rows: Row[],
  { list, parameters, positionOf, nextPlace = null, head, ...options }: StoredPageOptions<Row>,
  { load, cursors }: MetricsContext,
): StoredPage<Row> {
  const cursorAt = (position: string) =>
    cursors.sign(list, parameters, { position: position.split(" "), heads: [head] });
  const { items, context } = partOf(rows, { ...options, cursorOf: (row) => cursorAt(positionOf(row)) });
  const last = items.at(-1);
  const { size, isBackward } = options;
  const place = rows.length > size ? null : nextPlace;
  const end =
    place !== null && !isBackward ? place : context.hasNextPage && last !== undefined ? positionOf(last) : null;
  const storeToken = () => load.newPageToken({ list, parameters, cursor: end, head });
  if (place === null) return new StoredPage(items, context, storeToken);
  const further = isBackward
    ? { hasPreviousPage: true, startCursor: () => cursorAt(place) }
    : { hasNextPage: true, endCursor: () => cursorAt(place) };
  return new StoredPage(items, { ...context, ...further }, storeToken);
}

async function storeTokens(pages: StoredPage<unknown>[]): Promise<void> {
  await Promise.all(pages.map((page) => page.storedToken()));
}

/** Makes the resolver of the page tokens of a type of connections, whose objects are `StoredPage`s. */
export function storedTokenResolver(Connection: new () => object): new () => object {
  @Resolver(() => Connection)
  class StoredTokenResolver {
    @Directive('@tag(name: "rest")')
    @FieldResolver(() => String, { nullable: true, description: NEXT_PAGE_TOKEN })
    @LoadsAll(storeTokens)
    nextPageToken(@Root() page: StoredPage<unknown>): Loaded<string | null> {
      return page.storedToken();
    }
  }
  return StoredTokenResolver;
}
