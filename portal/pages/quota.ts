import { maxListedItems } from '../../contract/bounds.ts';
import type { Limits } from '../../core/trunk-group/trunk-group-limits.ts';
import { unlessDenied } from '../forms/problems.ts';
import { type Html, html } from '../html/html.ts';
import { linkButton } from '../html/parts.ts';
import type { RequestContext } from '../request-context.ts';
import { nothingPage } from './choose-trunk-group.ts';

const kinds = {
  clients: { title: 'New client', what: 'clients', limit: 'maxClients' },
  'api-keys': { title: 'New API key', what: 'API keys', limit: 'maxApiKeys' },
} as const;

/** How much of a limit is used when the page is made, as a bar; the text next to it says the same. */
function usageBar(count: number, most: number): Html {
  const share = most === 0 ? 100 : Math.min(100, Math.round((count / most) * 100));
  return html`
    <svg class="usage${share >= 90 && ' usage-high'}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="usage-most" width="100" height="8"></rect>
      <rect class="usage-used" width="${share}" height="8"></rect>
    </svg>
  `;
}

type Kind = keyof typeof kinds;

/** How many clients or API keys a trunk group may have. */
export function quotaLimit(kind: Kind, limits: Limits): number | undefined {
  return limits[kinds[kind].limit];
}

/** How much of each limit of numbers a trunk group uses. */
export async function readUsage(
  context: RequestContext,
  group: string,
  limits: Limits,
): Promise<Readonly<Partial<Record<(typeof kinds)[Kind]['limit'], Html>>>> {
  const used = (Object.keys(kinds) as Kind[])
    .filter((kind) => quotaLimit(kind, limits) !== 0)
    .map(async (kind) => {
      const quota = await readQuota(context, { kind, group, limits });
      return [kinds[kind].limit, quota?.usage] as const;
    });
  return Object.fromEntries(await Promise.all(used));
}

/**
 * How many clients or API keys a trunk group has, of how many it may have.
 *
 * @returns undefined without a limit, and if there are more than one read counts.
 */
export async function readQuota(
  { management, href }: RequestContext,
  { kind, group, limits }: { readonly kind: Kind; readonly group: string; readonly limits: Limits },
) {
  const most = quotaLimit(kind, limits);
  if (most === undefined || group === '') return undefined;
  const { title, what } = kinds[kind];
  const filter = { trunkGroup: group, limit: maxListedItems };
  const list =
    kind === 'clients'
      ? management.listClients(filter)
      : management.listApiKeys({ ...filter, withLastUse: false });
  const page = await unlessDenied<Awaited<typeof list>>(list);
  if (page === undefined || page.nextCursor !== undefined) return undefined;
  const count = page.items.length;
  const used = `${count} of ${most} ${what}`;
  return {
    /** For the form. */
    note: html`<p class="note"><code>${group}</code> has ${used}. ${usageBar(count, most)}</p>`,
    /** The same without the trunk group. */
    usage: html`${used} ${usageBar(count, most)}`,
    isUsedUp: count >= most,
    /** Instead of a form that would be refused. */
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
