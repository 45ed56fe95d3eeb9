import type { Management } from '../../../adapters/management.ts';
import { describeStops } from '../../../core/stops.ts';
import type { Limits, TrunkGroupLimits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { clientPath } from '../../client-path.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, dataTable, rowLink } from '../../html/list.ts';
import {
  factList,
  limitFacts,
  limitLabel,
  limitValue,
  linkButton,
  panel,
} from '../../html/parts.ts';
import { endTime, formatExactSpan, timeWithDistance } from '../../html/time.ts';
import type { Handler, Href, RequestContext } from '../../request-context.ts';
import { readUsage } from '../choose-trunk-group.ts';

/** The limits of the deployment config, which hold for everyone who comes through the portal. */
function configPanel({ deployment }: RequestContext): Html | '' {
  const { limits = {} } = deployment.reach ?? {};
  if (Object.values(limits).every((limit) => limit === undefined)) return '';
  return panel(
    {
      title: 'Limits of the deployment config',
      id: 'config-limits',
      note: 'They hold in every trunk group in addition, also for the staff.',
    },
    factList(limitFacts(limits)),
  );
}

/** It reads everything that the group has. */
async function excessPanel(context: RequestContext, limits: TrunkGroupLimits): Promise<Html> {
  const group = limits.serviceTrunkGroup;
  const check = await context.management.checkTrunkGroupLimits(group);
  const excesses = excessPart(context, { group, limits, check, whose: 'its' });
  return panel({ title: 'Above the limits', id: 'excess' }, excesses);
}

export const showTrunkGroup: Handler = async (context) => {
  const { management, href, may, now, person } = context;
  const group = context.id('group');
  const limits = await management.findTrunkGroupLimits(group);
  const usage = await readUsage(context, group, limits);
  const isStaff = may('setTrunkGroupLimits') && person.trunkGroups === undefined;
  const has = html`
    <a href="${href('/clients', { trunkGroup: group })}">
    Clients</a>, <a href="${href('/api-keys', { trunkGroup: group })}">API keys</a>
  `;
  return {
    title: `Trunk group ${group}`,
    section: 'trunk-groups',
    heading: group,
    crumbs: [],
    lead: 'What people may give to clients and API keys of this trunk group.',
    actions: isStaff && linkButton(href(`/trunk-groups/${group}/edit`), 'Change limits', 'primary'),
    body: html`${panel(
      { title: 'Limits', id: 'limits' },
      factList([
        limits.stops !== undefined && ['Stopped', describeStops(limits.stops).join('; ')],
        ...limitFacts(limits, usage),
        ['What it has', has],
        limits.updatedAt !== undefined && ['Changed', timeWithDistance(limits.updatedAt, now)],
      ]),
    )}${isStaff && (await excessPanel(context, limits))}${isStaff && configPanel(context)}`,
  };
};

type Check = Awaited<ReturnType<Management['checkTrunkGroupLimits']>>;
type Excess = Check['excesses'][number];

/** Limits of which the subject is an API key. */
const ofApiKey = ['requireSubnet', 'requireApiKeyScopes', 'maxApiKeyLifetime'];

/** Limits of how many there are: what is above them, and its list. */
const ofAll: ReadonlyMap<string, readonly [name: string, path: string]> = new Map([
  ['maxClients', ['All clients', '/clients']],
  ['maxApiKeys', ['All API keys', '/api-keys']],
  ['ownProviders', ['All its own providers', '/identity-providers']],
]);

/** The page of what is above a limit. */
function addressOf(href: Href, group: string, { limit, subject }: Excess): string {
  const [, path] = ofAll.get(limit) ?? [];
  if (path !== undefined) return href(path, limit === 'ownProviders' ? {} : { trunkGroup: group });
  if (ofApiKey.includes(limit)) return href(`/api-keys/${subject}`);
  // A client is found by the id of its secret, too.
  if (limit === 'maxSecretLifetime') return href('/clients', { text: subject });
  return href(clientPath(subject));
}

function itemCell({ href }: Pick<RequestContext, 'href'>, group: string, excess: Excess): Html {
  const { limit, subject, name = subject } = excess;
  const link = rowLink(addressOf(href, group, excess), ofAll.get(limit)?.[0] ?? name);
  if (limit !== 'maxSecretLifetime') return link;
  return html`${link}<span class="sub"><code>${subject}</code></span>`;
}

function valueOf({ limit, received }: Excess, now: number): HtmlValue {
  if (limit === 'maxSecretLifetime' || limit === 'maxApiKeyLifetime') {
    const end = Date.parse(received) / 1000;
    return Number.isNaN(end) ? 'Never expires' : endTime(end, now);
  }
  if (limit === 'maxTokenLifetime') return formatExactSpan(Number(received));
  return limit === 'scopes' || limit === 'providers' ? html`<code>${received}</code>` : received;
}

/** Rows of the table: more are a long way for someone who uses the keyboard. */
const maxRows = 20;

/** How much is above each limit: `Token lifetime 252, Scopes 3`. */
function countsOf({ excesses }: Check): string {
  const byLimit = Map.groupBy(excesses, ({ limit }) => limit);
  return [...byLimit].map(([limit, { length }]) => `${limitLabel(limit)} ${length}`).join(', ');
}

interface Excesses {
  readonly group: string;
  readonly limits: Limits;
  readonly check: Check;
  readonly whose: 'its' | 'these';
}

/** What a trunk group has above limits, with links to it. */
export function excessPart(
  context: Pick<RequestContext, 'href' | 'now'>,
  { group, limits, check, whose }: Excesses,
): Html {
  if (check.excesses.length === 0) {
    return html`
      <p class="panel-text">
        ${badge('good', 'None')} Everything in this trunk group is within ${whose} limits.
      </p>
    `;
  }
  const rows = check.excesses.slice(0, maxRows);
  const count = check.excesses.length;
  const head =
    count > rows.length
      ? html`
        These are ${rows.length} of ${check.more ? `more than ${count}` : count}
        ${!check.more && html` (${countsOf(check)})`}. <code>authctl trunk-group-limits
        check ${group}</code> lists the others. `
      : '';
  return html`
    <p class="panel-text">
      ${head}All of it stays and works. A change can only make it smaller.</p>
    ${dataTable(
      'Above the limits',
      [
        ['Item', (excess) => itemCell(context, group, excess)],
        ['Limit', ({ limit }) => limitLabel(limit)],
        ['Has', (excess) => valueOf(excess, context.now)],
        ['Allowed', ({ limit }) => limitValue(limits, limit)],
      ],
      rows,
    )}
  `;
}
