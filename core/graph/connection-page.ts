/** Number of items of a list. */
export interface TotalCount {
  readonly count: string;
  /** If false, there are at least `count` items. */
  readonly isExact: boolean;
}

/** An item of a list and its cursor. */
export interface Edge<Item> {
  readonly node: Item;
  readonly cursor: string;
}

/** Where a page is in its list. The cursors of an empty page are null, unless its context has others. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** What a page knows besides its items. */
export interface PageContext {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Makes the cursor of the item with this index. */
  readonly cursorAt: (index: number) => string;
  /** Make the cursors from which the list continues on both sides. Default: those of the first and the last item. */
  readonly startCursor?: () => string;
  readonly endCursor?: () => string;
  /** Counts the items of the whole list. */
  readonly count: () => Promise<TotalCount>;
}

/**
 * A page of a list, as the fields of a connection read it. Cursors are made, and the list is counted, only if they are selected; once, because
 * the compiled form of an operation may read a field several times.
 */
export class Page<Item> {
  readonly nodes: Item[];
  readonly #context: PageContext;
  readonly #cursors: (string | undefined)[] = [];
  #edges: Edge<Item>[] | null = null;
  #totalCount: TotalCount | Promise<TotalCount> | null = null;

  constructor(nodes: Item[], context: PageContext) {
    this.nodes = nodes;
    this.#context = context;
  }

  /** The page with other items in place of its own: as many, in the same order. */
  withNodes<Other>(nodes: Other[]): Page<Other> {
    return new Page(nodes, this.#context);
  }

  /** The page with other items in place of its own, without those that were not found. */
  withFound<Other>(nodes: readonly (Other | null)[]): Page<Other> {
    const indexes = [...nodes.keys()].filter((index) => nodes[index] !== null);
    const found = indexes.map((index) => nodes[index] as Other);
    return new Page(found, { ...this.#context, cursorAt: (at) => this.#context.cursorAt(indexes[at] as number) });
  }

  /** The page of a list that is counted in another way. */
  countedBy(count: PageContext["count"]): Page<Item> {
    return new Page(this.nodes, { ...this.#context, count });
  }

  /** The page with further members. */
  with<Members extends object>(members: Members): Page<Item> & Members {
    return Object.assign(this, members);
  }

  get edges(): Edge<Item>[] {
    this.#edges ??= this.nodes.map((node, index) => new LazyEdge(node, () => this.#cursorAt(index)));
    return this.#edges;
  }

  get pageInfo(): PageInfo {
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = this.#context;
    const cursorAt = (index: number) => (this.nodes.length === 0 ? null : this.#cursorAt(index));
    return {
      hasNextPage,
      hasPreviousPage,
      get startCursor() {
        return startCursor?.() ?? cursorAt(0);
      },
      get endCursor() {
        return endCursor?.() ?? cursorAt(-1);
      },
    };
  }

  /** Token of the next page; null if no item follows the page. */
  get nextPageToken(): string | null {
    return this.#context.hasNextPage && this.nodes.length > 0 ? this.#cursorAt(-1) : null;
  }

  /** The count, or a promise until it is there. */
  totalCount(): TotalCount | Promise<TotalCount> {
    this.#totalCount ??= this.#count();
    return this.#totalCount;
  }

  async #count(): Promise<TotalCount> {
    const count = await this.#context.count();
    this.#totalCount = count;
    return count;
  }

  /** A negative index counts from the end. */
  #cursorAt(index: number): string {
    const at = index < 0 ? this.nodes.length + index : index;
    const cursor = this.#cursors[at] ?? this.#context.cursorAt(at);
    this.#cursors[at] = cursor;
    return cursor;
  }
}

/** Makes its cursor when it is read. */
class LazyEdge<Item> implements Edge<Item> {
  readonly node: Item;
  readonly #cursorOf: () => string;

  constructor(node: Item, cursorOf: () => string) {
    this.node = node;
    this.#cursorOf = cursorOf;
  }

  get cursor(): string {
    return this.#cursorOf();
  }
}
