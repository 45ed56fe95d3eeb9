/** A request to a store for one page of a list. */
export interface StorePageQuery {
  /** Most items of the page. */
  readonly limit: number;
  /** Key of the item before the first one of the page. The default is the first page. */
  readonly after?: string | undefined;
}

/** One page of what a store holds. */
export interface StorePage<T> {
  readonly items: readonly T[];
  /** How many stored items were looked at for it. */
  readonly examined: number;
  /** Key for the next page; undefined on the last page. */
  readonly next?: string | undefined;
}

/** Filters of a list of clients or API keys. An item must meet all of them. */
export interface OwnedItemsQuery extends StorePageQuery {
  readonly trunkGroups?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  /** Text in the name or the id, of a client's secrets as well, in any case. */
  readonly text?: string | undefined;
}
