import { maxListedItems } from '../../contract/limits.ts';
import { isDenied } from '../forms/problems.ts';
import { type Html, html } from '../html/html.ts';
import { linkButton } from '../html/parts.ts';
import type { Page, RequestContext } from '../request-context.ts';
import { nothingPage } from './choose-trunk-group.ts';

const kinds = {
  clients: { title: 'New client', what: 'clients' },
  'api-keys': { title: 'New API key', what: 'API keys' },
} as const;

interface Quota {
  /** How much of it is used, for the form. */
  readonly note: Html;
  readonly isUsedUp: boolean;
  /** Instead of a form that would be refused. */
  readonly page: Page;
}

/**
 * How many clients or API keys a trunk group has, of how many it may have.
 *
 * @returns undefined without a limit, and if there are more than one read counts.
 */
export async function readQuota(
  { management, href, freshness }: RequestContext,
  {
    kind,
    group,
    most,
  }: {
    readonly kind: keyof typeof kinds;
    readonly group: string;
    readonly most: number | undefined;
  },
): Promise<Quota | undefined> {
  if (most === undefined || group === '') return undefined;
  const { title, what } = kinds[kind];
  const filter = { trunkGroup: group, limit: maxListedItems, ...freshness };
  const list = kind === 'clients' ? management.listClients(filter) : management.listApiKeys(filter);
  const page = await list.catch((error: unknown) => {
    if (isDenied(error)) return undefined;
    throw error;
  });
  if (page === undefined || page.nextCursor !== undefined) return undefined;
  const count = page.items.length;
  const used = `${count} of ${most} ${what}`;
  return {
    note: html`<p class="note"><code>${group}</code> has ${used}.</p>`,
    isUsedUp: count >= most,
    page: nothingPage(
      { title, section: kind },
      {
        title: `${group} has ${used}`,
        text: 'Delete one that is not used any more, or ask the platform’s staff for a higher limit.',
        action: linkButton(href(`/${kind}`, { trunkGroup: group }), `See the ${what}`),
      },
    ),
  };
}
