import type { Client } from '../../../adapters/management.ts';
import { secondsPerDay } from '../../../contract/limits.ts';
import { findSecretConcern, secretAttention } from '../../../core/client/secret-attention.ts';
import { isDenied } from '../../forms/problems.ts';
import { type Html, html } from '../../html/html.ts';
import { badge, dataTable } from '../../html/list.ts';
import { linkButton, pageHeader, panel } from '../../html/parts.ts';
import { distance, endTime, lastUseText } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { secretTitle } from '../clients/secret-table.ts';

/** Maximum rows of one kind on the overview. The linked list has all of them. */
const maxRows = 20;

const days = (seconds: number) => seconds / secondsPerDay;

interface Concern {
  readonly client: Client;
  readonly secret: Client['secrets'][number];
  readonly kind: 'expires_soon' | 'unused';
}

function concernsOf(clients: readonly Client[], now: number): readonly Concern[] {
  return clients.flatMap((client) =>
    client.secrets.flatMap((secret): readonly Concern[] => {
      const kind = findSecretConcern(client, secret, now);
      return kind === undefined ? [] : [{ client, secret, kind }];
    }),
  );
}

/** One check: its findings, or the text if there are none. */
interface Check {
  readonly id: string;
  readonly title: string;
  readonly count: number;
  /** Whether there may be more findings. */
  readonly isPartial: boolean;
  /** The list with all of them. */
  readonly all: string;
  /** Shown if there are no findings. */
  readonly fine: string;
  readonly table: () => Html;
}

/** A table that the AWS identity of the portal may not read. */
interface Denied {
  readonly denied: string;
}

/** A check that AWS does not allow is omitted, and the page says so. */
async function unlessDenied<T>(what: string, check: Promise<T>): Promise<T | Denied> {
  try {
    return await check;
  } catch (error) {
    if (isDenied(error)) return { denied: what };
    throw error;
  }
}

function foundPanel({ id, title, count, isPartial, all, table }: Check): Html {
  const number = badge('warn', `${count}${isPartial ? ' or more' : ''}`);
  return html`
    <section class="panel" aria-labelledby="${id}">
      <div class="panel-head">
        <h2 id="${id}">${title} ${number}</h2>
        <a href="${all}">See all<span class="visually-hidden">: ${title}</span></a>
      </div>
      ${table()}
    </section>
  `;
}

function finePanel(checks: readonly Check[], denied: readonly Denied[]): Html {
  const isPartial = isIncomplete(checks, denied);
  return panel(
    { title: isPartial ? 'Nothing found' : 'In order', id: 'in-order' },
    html`<ul class="checks">${checks.map(
      ({ title, fine, all, isPartial }) =>
        html`
          <li>
            ${isPartial ? badge('off', 'None so far') : badge('good', 'None')}<a href="${all}">
            ${title}</a><span class="muted">${fine}</span>
          </li>
        `,
    )}${denied.map(
      ({ denied: what }) =>
        html`
          <li>
            ${badge('off', 'Not checked')}<span class="muted">AWS does not let you look
            at ${what}.</span>
          </li>
        `,
    )}</ul>`,
  );
}

/** Whether the checks did not see everything. */
function isIncomplete(checks: readonly Check[], denied: readonly Denied[]): boolean {
  return denied.length > 0 || checks.some(({ isPartial }) => isPartial);
}

/** The secrets of one kind on the page, the most urgent first. */
function secretRows({ href, now }: RequestContext, concerns: readonly Concern[]) {
  const urgency = ({ secret }: Concern) => secret.expiresAt ?? Number.POSITIVE_INFINITY;
  return concerns
    .toSorted((a, b) => urgency(a) - urgency(b))
    .slice(0, maxRows)
    .map(({ client, secret, kind }) => [
      html`<a class="row-link" href="${href(`/clients/${client.clientId}`)}">${client.name}</a>`,
      secretTitle(secret),
      client.serviceTrunkGroup,
      kind === 'expires_soon' && secret.expiresAt !== undefined
        ? endTime(secret.expiresAt, now)
        : lastUseText(secret.lastUsedOn, now),
    ]);
}

const secretColumns = (last: string) => [
  { text: 'Client' },
  { text: 'Secret' },
  { text: 'Trunk group', isMinor: true },
  { text: last },
];

/** A limited user must not learn how many items others have. */
function notAll({ person }: RequestContext, examined: number, what: string): string {
  const count = person.trunkGroups === undefined ? ` ${examined} ${what} were checked.` : '';
  return `Not everything was checked.${count} The list goes on.`;
}

async function checkSecrets(context: RequestContext): Promise<readonly Check[]> {
  const { management, href, now, freshness } = context;
  const page = await management.listClients({ needsAttention: true, ...freshness });
  const concerns = concernsOf(page.items, now);
  const isPartial = page.nextCursor !== undefined;
  const rest = isPartial ? ` ${notAll(context, page.examined, 'clients')}` : '';
  const check = (id: Concern['kind'], title: string, filter: string, fine: string): Check => {
    const found = concerns.filter(({ kind }) => kind === id);
    const columns = secretColumns(id === 'expires_soon' ? 'Expires' : 'Last used');
    const table = () => dataTable(title, columns, secretRows(context, found));
    const order = id === 'expires_soon' ? 'expiry' : undefined;
    const all = href('/clients', { secrets: filter, order });
    return { id, title, count: found.length, isPartial, all, fine: `${fine}${rest}`, table };
  };
  const soon = `Secrets that expire within ${days(secretAttention.expiresWithin)} days`;
  const unused = `Secrets not used for ${days(secretAttention.unusedFor)} days`;
  return [
    check('expires_soon', soon, 'expires-soon', ''),
    check('unused', unused, 'unused-90', 'Newer secrets are not checked.'),
  ];
}

async function checkKeys(context: RequestContext): Promise<Check> {
  const { management, href, now, freshness } = context;
  const page = await management.listApiKeys({ anySource: true, enabled: true, ...freshness });
  const title = 'API keys that any address can use';
  return {
    id: 'open-keys',
    title,
    count: page.items.length,
    isPartial: page.nextCursor !== undefined,
    all: href('/api-keys', { sources: 'any', enabled: 'yes' }),
    fine:
      page.nextCursor === undefined
        ? 'Every enabled key is limited to subnets.'
        : notAll(context, page.examined, 'API keys'),
    table: () =>
      dataTable(
        title,
        [{ text: 'API key' }, { text: 'Trunk group' }, { text: 'Created', isMinor: true }],
        page.items
          .slice(0, maxRows)
          .map((key) => [
            html`<a class="row-link" href="${href(`/api-keys/${key.keyId}`)}">${key.name}</a>`,
            key.serviceTrunkGroup,
            distance(key.createdAt, now),
          ]),
      ),
  };
}

async function checkProviders({ management, href, health, now }: RequestContext): Promise<Check> {
  const providers = await management.listProviders();
  const issuers = providers.map(({ issuer }) => issuer);
  const healths = await health.check(management, issuers, now);
  const broken = issuers.flatMap((issuer) => {
    const problem = healths.get(issuer)?.problem;
    return problem === undefined ? [] : [{ issuer, problem }];
  });
  const waiting = issuers.filter((issuer) => healths.get(issuer) === undefined).length;
  const title = 'Providers whose keys cannot be fetched';
  return {
    id: 'broken-providers',
    title,
    count: broken.length,
    isPartial: waiting > 0,
    all: href('/identity-providers'),
    fine: waiting > 0 ? `${waiting} of ${issuers.length} have not answered yet.` : '',
    table: () =>
      dataTable(
        title,
        [{ text: 'Issuer' }, { text: 'Problem' }],
        broken.map(({ issuer, problem }) => [
          html`<a class="row-link" href="${href('/identity-providers/show', { issuer })}">${issuer}</a>`,
          problem,
        ]),
      ),
  };
}

/** Items that need attention come first. The lists are one click away. */
export const showOverview: Handler = async (context) => {
  const { href, may } = context;
  const parts = await Promise.all([
    unlessDenied('identity providers', checkProviders(context)),
    unlessDenied('clients', checkSecrets(context)),
    unlessDenied('API keys', checkKeys(context)),
  ]);
  const denied = parts.flatMap((part) => ('denied' in part ? [part] : []));
  // The report has secrets and keys: AWS lets only those read it who may read clients and keys.
  const mayReadReport = denied.length === 0 && may('listExpiring');
  const checks = parts.flatMap((part) => ('denied' in part ? [] : part));
  const found = checks.filter(({ count }) => count > 0);
  const fine = checks.filter(({ count }) => count === 0);
  return {
    title: 'Overview',
    section: 'overview',
    body: html`${pageHeader({
      title:
        found.length > 0
          ? 'Needs attention'
          : isIncomplete(checks, denied)
            ? 'Nothing found so far'
            : 'Nothing needs attention',
      actions: may('createClient')
        ? html`
          ${linkButton(href('/api-keys/new'), 'New API key')}
          ${linkButton(href('/clients/new'), 'New client', 'primary')}
        `
        : undefined,
    })}<div class="overview">${found.map(foundPanel)}</div>${
      fine.length + denied.length > 0 && finePanel(fine, denied)
    }${
      mayReadReport &&
      html`
        <p>
          <a href="${href('/expiring')}">Everything that expires within 30 days</a>, by its end
        </p>
      `
    }`,
  };
};
