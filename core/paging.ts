/** What a store is asked for: one page of a list. */
export interface StorePageQuery {
  /** Most items of the page. */
  readonly limit: number;
  /** Key of the item after which the page begins; the first page if left out. */
  readonly after?: string | undefined;
}

/** One page of what a store holds. */
export interface StorePage<T> {
  readonly items: readonly T[];
  /** How many stored items were looked at for it. */
  readonly examined: number;
  /** Key from which the list goes on; undefined at its end. */
  readonly next?: string | undefined;
}

/** What a page of clients or API keys is narrowed down to. Each condition that is given holds. */
export interface OwnedItemsQuery extends StorePageQuery {
  readonly trunkGroups?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  /** Text of the name or the id, without regard to case. */
  readonly text?: string | undefined;
}
