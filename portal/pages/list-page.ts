import type { ListedPage } from '../../adapters/management.ts';
import { maxExaminedItems } from '../../contract/bounds.ts';
import { noProblems, type Problems, problemsOf } from '../forms/problems.ts';
import { type Cell, formatCsv } from '../html/csv.ts';
import { filterForm } from '../html/filters.ts';
import type { Labels } from '../html/form.ts';
import { type Html, type HtmlValue, html } from '../html/html.ts';
import { type Column, dataTable } from '../html/list.ts';
import { type ListPosition, pager, readPosition } from '../html/pager.ts';
import { emptyState, linkButton, type Section } from '../html/parts.ts';
import type { Download, HtmlPage, RequestContext } from '../request-context.ts';
import { joinPages, type ReadPage } from './join-pages.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** A list in CSV: the names of the columns, and the cells of an item. */
export interface CsvTable<T> {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly columns: Readonly<Record<string, (item: T) => Cell>>;
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
  readonly query: Query;
  readonly filterFields: (problems: Problems) => HtmlValue;
  readonly labels: Labels;
  readonly columns: readonly Column<T>[];
  readonly empty: { readonly title: string; readonly text: HtmlValue };
  readonly read: ReadPage<T>;
  readonly csv: CsvTable<T>;
}

/** Reads of a file: 10,000 items or more. */
const maxReads = 20;

/** An invalid filter shows an empty list and the problem. */
async function readPage<T>(
  { read }: ListPage<T>,
  cursor: string | undefined,
): Promise<{ readonly page: ListedPage<T>; readonly problems: Problems }> {
  try {
    return { page: await read(cursor), problems: noProblems };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems?.status !== 422) throw error;
    return { page: { items: [], examined: 0 }, problems };
  }
}

/** Reading stopped at its bound before it found anything. */
function nothingYet(
  { what }: Pick<ListPage<never>, 'what'>,
  { allNames }: ListedPage<unknown>,
): Html {
  if (allNames === true) {
    return emptyState(
      'No client has this in its name or id',
      'A secret may have it in its name: look further.',
    );
  }
  return emptyState(
    'Nothing found so far',
    `A page reads up to ${maxExaminedItems.toLocaleString('en')} ${what}, and none of these matches. Look further.`,
  );
}

function nothing<T>(list: ListPage<T>, isNarrowed: boolean, isFurther: boolean): Html {
  if (isFurther) {
    return emptyState(`No other ${list.what} match`, 'The pages before have all that there are.');
  }
  return isNarrowed
    ? emptyState(`No ${list.what} match here`, 'Try fewer words, or clear the filter.')
    : emptyState(list.empty.title, list.empty.text, list.create);
}

interface Shown<T> {
  readonly page: ListedPage<T>;
  readonly position: ListPosition;
  readonly isFiltered: boolean;
}

function rows<T>(
  { href, person }: RequestContext,
  list: ListPage<T>,
  { page, position, isFiltered }: Shown<T>,
): Html {
  const { items, examined, nextCursor } = page;
  if (items.length === 0 && nextCursor === undefined) {
    return nothing(list, isFiltered, position.page > 1);
  }
  const { query } = list;
  return html`${
    items.length === 0 ? nothingYet(list, page) : dataTable(list.title, list.columns, items)
  }<div class="list-foot">${pager({
    href,
    path: list.path,
    query,
    position,
    nextCursor,
    isFiltered,
    // The reach of a person is a filter too. It must not tell how many items others have.
    isRestricted: person.trunkGroups !== undefined,
    shown: items.length,
    examined,
    what: list.what,
    allNames: page.allNames,
  })}${linkButton(href(`${list.path}/export`, query), 'Download as CSV')}</div>`;
}

/** A list with its filter, in pages of one read each. */
export async function showList<T>(context: RequestContext, list: ListPage<T>): Promise<HtmlPage> {
  const { href } = context;
  const position = readPosition(context.query);
  const { page, problems } = await readPage(list, position.cursor);
  const isFiltered = Object.values(list.query).some((value) => value !== undefined);
  return {
    title: list.title,
    section: list.section,
    lead: list.lead,
    actions: list.create,
    labels: list.labels,
    problems,
    body: html`
      ${filterForm(href(list.path), isFiltered, list.filterFields(problems))}
      ${rows(context, list, { page, position, isFiltered })}
    `,
  };
}

/** The whole list as a file. If not everything was read, its name and its last line say so. */
export async function exportList<T>(
  list: Pick<ListPage<T>, 'read' | 'csv' | 'what'>,
): Promise<Download> {
  const { csv, what } = list;
  const { items, nextCursor } = await joinPages(list.read, maxReads);
  const cells = items.map((item) => Object.values(csv.columns).map((column) => column(item)));
  const isWhole = nextCursor === undefined;
  const last = isWhole ? [] : [[`NOT COMPLETE: there are more ${what} than one file has`]];
  return {
    fileName: `${csv.name}${isWhole ? '' : '-incomplete'}.csv`,
    csv: formatCsv(Object.keys(csv.columns), [...cells, ...last]),
  };
}
