import { noProblems, type Problems, problemsOf } from '../forms/problems.ts';
import { doneNotice } from '../html/done.ts';
import { filterForm } from '../html/filters.ts';
import { errorSummary, type Labels } from '../html/form.ts';
import { type Html, type HtmlValue, html } from '../html/html.ts';
import { type Column, dataTable, pager } from '../html/list.ts';
import { emptyState, pageHeader } from '../html/parts.ts';
import type { Page, RequestContext, Section } from '../request-context.ts';

/** A page of a list, as the library gives it. */
interface ListedPage<T> {
  readonly items: readonly T[];
  readonly examined: number;
  readonly nextCursor?: string | undefined;
}

export interface ListPage<T> {
  readonly title: string;
  readonly lead: string;
  readonly section: Section;
  readonly path: string;
  /** The kind of items, in the plural. */
  readonly what: string;
  readonly create: Html | undefined;
  /** The filter in the address. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly filterFields: (problems: Problems) => HtmlValue;
  readonly labels: Labels;
  readonly columns: readonly Column[];
  readonly row: (item: T) => readonly HtmlValue[];
  readonly empty: { readonly title: string; readonly text: string };
  readonly read: (cursor: string | undefined) => Promise<ListedPage<T>>;
}

/** An invalid filter shows an empty list and the problem. */
async function readPage<T>(
  list: ListPage<T>,
  cursor: string | undefined,
): Promise<{ readonly page: ListedPage<T>; readonly problems: Problems }> {
  try {
    return { page: await list.read(cursor), problems: noProblems };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems?.status !== 422) throw error;
    return { page: { items: [], examined: 0 }, problems };
  }
}

/** Reading stopped at a limit before it found anything. */
function nothingYet({ what }: Pick<ListPage<never>, 'what'>): Html {
  return emptyState('Nothing found so far', `Not all ${what} were read yet. Look further.`);
}

function nothing<T>(list: ListPage<T>, isNarrowed: boolean): Html {
  return isNarrowed
    ? emptyState(`No ${list.what} match here`, 'Try fewer words, or clear the filter.')
    : emptyState(list.empty.title, list.empty.text, list.create);
}

/** A list with its filter, in pages of one read each. */
export async function showList<T>(context: RequestContext, list: ListPage<T>): Promise<Page> {
  const { href } = context;
  const cursor = context.query.optional('cursor');
  const { page, problems } = await readPage(list, cursor);
  const { items, examined, nextCursor } = page;
  const isFiltered = Object.values(list.query).some((value) => value !== undefined);
  const isFirst = cursor === undefined;
  // The limit of a person is a filter too. It must not tell how many items others have.
  const isLimited = context.person.trunkGroups !== undefined;
  const pages = {
    href,
    path: list.path,
    query: list.query,
    isFirst,
    nextCursor,
    isFiltered,
    isLimited,
  };
  return {
    status: problems.status,
    title: list.title,
    section: list.section,
    body: html`${pageHeader({ title: list.title, lead: list.lead, actions: list.create })}${doneNotice(context.query)}${errorSummary(problems, list.labels)}${filterForm(href(list.path), isFiltered, list.filterFields(problems))}${
      items.length === 0
        ? nextCursor === undefined
          ? nothing(list, isFiltered || !isFirst)
          : nothingYet(list)
        : dataTable(list.title, list.columns, items.map(list.row))
    }${
      items.length === 0 && nextCursor === undefined
        ? ''
        : pager({ ...pages, shown: items.length, examined, what: list.what })
    }`,
  };
}
