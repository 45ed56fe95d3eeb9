/** A request to a store for one page of a list. */
export interface StorePageQuery {
  /** Most items of the page. */
  readonly limit: number;
  /** `next` of the page before. The default is the first page. */
  readonly after?: string | undefined;
}

/** One page of what a store holds. */
export interface StorePage<T> {
  readonly items: readonly T[];
  /** How many stored items were looked at for it. */
  readonly examined: number;
  /**
   * Where the next page starts; undefined on the last page. Of a list that is restricted to trunk
   * groups, it holds only what belongs to them.
   */
  readonly next?: string | undefined;
  /** Of a search: whether all ids and names were searched, and `next` leads to what is inside. */
  readonly allNames?: true | undefined;
  /** Whether all pages together are in the order of the list. Otherwise each can be sorted. */
  readonly isOrdered?: boolean | undefined;
}

/** Every item of a list, page by page. */
export async function* readEvery<T>(
  readPage: (after: string | undefined) => Promise<StorePage<T>>,
): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const page = await readPage(after);
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Filters of a list of clients or API keys. An item must meet all of them. */
export interface OwnedItemsQuery extends StorePageQuery {
  readonly trunkGroups?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  /** Text in the name or the id, of a client's secrets as well, in any case. */
  readonly text?: string | undefined;
}

/** Everything that a store lists. Array.fromAsync would need Node 22. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
