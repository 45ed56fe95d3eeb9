import type { ApiKey, Client, ClientSecret, Management } from '../../../adapters/management.ts';
import { secondsPerDay } from '../../../contract/bounds.ts';
import { jwksPath, tokenPath } from '../../../contract/routes.ts';
import { isUsable } from '../../../core/client/client.ts';
import {
  findSecretConcern,
  lastUse,
  secretAttention,
} from '../../../core/client/secret-attention.ts';
import { clientPath } from '../../client-path.ts';
import { unlessDenied } from '../../forms/problems.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, type Column, dataTable, rowLink } from '../../html/list.ts';
import { copyable, factList, linkButton, panel } from '../../html/parts.ts';
import { distance, endTime, lastUseText } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { secretTitle } from '../clients/secret-table.ts';

/** Maximum rows of one kind on the overview. The linked list has all of them. */
const maxRows = 20;

const days = (seconds: number) => seconds / secondsPerDay;

interface Concern {
  readonly client: Client;
  readonly secret: ClientSecret;
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

function totalOf(page: { readonly examined: number; readonly nextCursor?: string | undefined }) {
  return page.nextCursor === undefined ? String(page.examined) : `${page.examined} or more`;
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
  /** What is in order, if there are no findings. */
  readonly good: string;
  /** More about it. */
  readonly fine: string;
  readonly table: () => Html;
  /** How many clients, API keys or providers there are, as a text. */
  readonly total: string;
  /** Clients that were looked at, of the checks of clients. */
  readonly examined?: number | undefined;
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

function finePanel(checks: readonly Check[], denied: readonly string[]): Html {
  const isPartial = isIncomplete(checks, denied);
  return panel(
    { title: isPartial ? 'Nothing found' : 'In order', id: 'in-order' },
    html`<ul class="checks">${checks.map(
      ({ title, good, fine, all, isPartial }) =>
        html`
          <li>
            ${isPartial ? badge('off', 'None so far') : badge('good', 'In order')}<a href="${all}">
            ${isPartial ? title : good}</a><span class="muted">${fine}</span>
          </li>
        `,
    )}${denied.map(
      (what) =>
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
function isIncomplete(checks: readonly Check[], denied: readonly string[]): boolean {
  return denied.length > 0 || checks.some(({ isPartial }) => isPartial);
}

/** The secrets of one kind on the page, the most urgent first. */
function secretTable(
  { href, now }: RequestContext,
  title: string,
  concerns: readonly Concern[],
): Html {
  const urgency = ({ secret }: Concern) => secret.expiresAt ?? Number.POSITIVE_INFINITY;
  return dataTable(
    title,
    [
      ['Client', ({ client }) => rowLink(href(clientPath(client.clientId)), client.name)],
      ['Secret', ({ secret }) => secretTitle(secret)],
      ['Trunk group', ({ client }) => client.serviceTrunkGroup, 'minor'],
      ['Expires', ({ secret: { expiresAt } }) => expiresAt && endTime(expiresAt, now)],
      ['Last used', ({ secret }) => lastUseText(secret.lastUsedOn, now)],
    ],
    concerns.toSorted((a, b) => urgency(a) - urgency(b)).slice(0, maxRows),
  );
}

/** A restricted user must not learn how many items others have. */
function notAll({ person }: RequestContext, examined: number, what: string): string {
  const count = person.trunkGroups === undefined ? ` ${examined} ${what} were checked.` : '';
  return `Not everything was checked.${count} The list goes on.`;
}

async function checkSecrets(context: RequestContext): Promise<readonly Check[]> {
  const { management, href, now } = context;
  const page = await management.listClients({ needsAttention: true });
  const isPartial = page.nextCursor !== undefined;
  const concerns = concernsOf(page.items, now);
  const { examined } = page;
  const fine = isPartial ? notAll(context, examined, 'clients') : '';
  const check = (kind: Concern['kind'], title: string, secrets: string, good: string): Check => {
    const found = concerns.filter((one) => one.kind === kind);
    const [count, total] = [found.length, totalOf(page)];
    const table = () => secretTable(context, title, found);
    const all = href('/clients', { secrets });
    return { id: kind, title, count, total, isPartial, all, good, fine, table, examined };
  };
  const soon = `within ${days(secretAttention.expiresWithin)} days`;
  const unused = `${days(secretAttention.unusedFor)} days`;
  return [
    check(
      'expires_soon',
      `Secrets that expire ${soon}`,
      'expires-soon',
      `No secret expires ${soon}`,
    ),
    check(
      'unused',
      `Secrets not used for ${unused}`,
      'unused-90',
      `Every secret was used in the last ${unused}, or is disabled or newer`,
    ),
  ];
}

type KeyFilter = Parameters<Management['listApiKeys']>[0];

async function checkKeys(context: RequestContext): Promise<readonly Check[]> {
  const { management, href, now, deployment } = context;
  const check = async (
    head: Pick<Check, 'id' | 'title' | 'good'>,
    only: KeyFilter,
    query: Readonly<Record<string, string>>,
    column: Column<ApiKey>,
  ): Promise<Check> => {
    const filter = { ...only, enabled: true, withLastUse: false };
    const page = await management.listApiKeys(filter);
    const isPartial = page.nextCursor !== undefined;
    const columns: readonly Column<ApiKey>[] = [
      ['API key', ({ keyId, name }) => rowLink(href(`/api-keys/${keyId}`), name)],
      ['Trunk group', ({ serviceTrunkGroup }) => serviceTrunkGroup],
      column,
    ];
    return {
      ...head,
      count: page.items.length,
      isPartial,
      all: href('/api-keys', { ...query, enabled: 'yes' }),
      fine: isPartial ? notAll(context, page.examined, 'API keys') : '',
      total: totalOf(page),
      table: () => dataTable(head.title, columns, page.items.slice(0, maxRows)),
    };
  };
  const open = {
    id: 'open-keys',
    title: 'API keys that any address can use',
    good: 'No API key can be used from any address',
  };
  const { expiresWithin } = secretAttention;
  const soon = `within ${days(expiresWithin)} days`;
  const expiring = {
    id: 'expiring-keys',
    title: `API keys that expire ${soon}`,
    good: `No API key expires ${soon}`,
  };
  const created: Column<ApiKey> = ['Created', ({ createdAt }) => distance(createdAt, now), 'minor'];
  const expires: Column<ApiKey> = [
    'Expires',
    ({ expiresAt = now }) => endTime(expiresAt, now),
    'minor',
  ];
  // The local run gives its demonstration key no subnets, and no other machine reaches it.
  const isLocal = /^https?:\/\/localhost[:/]/.test(deployment.issuer ?? '');
  return Promise.all([
    ...(isLocal ? [] : [check(open, { anySource: true }, { sources: 'any' }, created)]),
    check(expiring, { expiresWithin }, { expires: 'soon' }, expires),
  ]);
}

interface Step {
  readonly text: HtmlValue;
  readonly isDone: boolean;
}

/** Clients of a deployment, or of a customer, that is new. */
const fewClients = 3;

/**
 * The first day: from nothing to the first token. It ends when a secret was used.
 *
 * @returns undefined if it is over, or if the user cannot create a client.
 */
async function firstSteps(context: RequestContext): Promise<Html | undefined> {
  const { management, href, may, api, now } = context;
  if (!may('createClient')) return undefined;
  const page = await management.listClients({ limit: fewClients + 1 });
  const [first] = page.items;
  const isNew =
    page.nextCursor === undefined &&
    page.items.length <= fewClients &&
    page.items.every((client) => client.provider === undefined && lastUse(client) === undefined);
  if (!isNew) return undefined;
  const withSecret = page.items.find(({ secrets }) => secrets.some((one) => isUsable(one, now)));
  const to = (client: Client, text: string, part = '') =>
    html`<a href="${href(`${clientPath(client.clientId)}${part}`)}">${text}</a>`;
  const steps: readonly Step[] = [
    {
      isDone: first !== undefined,
      text:
        first === undefined
          ? html`<a href="${href('/clients/new')}">Create a client</a>: a program that calls the API.`
          : html`Create a client: ${to(first, first.name)}.`,
    },
    {
      isDone: withSecret !== undefined,
      text:
        first === undefined || withSecret !== undefined
          ? 'Give it a secret: its password.'
          : html`${to(first, 'Give it a secret', '/secrets/new')}: its password.`,
    },
    {
      isDone: false,
      text:
        withSecret === undefined
          ? 'Get the first token with both, and call the API.'
          : html`${to(withSecret, 'Get the first token', '#token')} with both, and call the API.`,
    },
  ];
  return panel(
    { title: 'The first token', id: 'first-steps' },
    html`
      <ol class="first-steps">
        ${steps.map(
          ({ text, isDone }) =>
            html`<li>${isDone ? badge('good', 'Done') : badge('off', 'To do')} <span>${text}</span></li>`,
        )}
      </ol>
      ${
        api.documentation !== undefined &&
        html`
          <p class="panel-text"><a href="${api.documentation}">The documentation of the API</a></p>
        `
      }
    `,
  );
}

/** What every caller and every API is configured with. */
function endpointsPanel({ deployment: { issuer, defaultAudience } }: RequestContext): Html | '' {
  if (issuer === undefined) return '';
  return panel(
    { title: 'Endpoints', id: 'endpoints' },
    factList([
      ['Token URL', copyable(issuer + tokenPath, 'the token URL')],
      ['Issuer', copyable(issuer, 'the issuer')],
      ['JWKS', copyable(issuer + jwksPath, 'the address of the JWKS')],
      ['Audience', copyable(defaultAudience, 'the audience')],
    ]),
  );
}

/** A restricted user must not learn how many items others have. */
function listTotals(
  { href, person }: RequestContext,
  kinds: readonly (readonly [path: string, what: string, check: Check | undefined])[],
): Html | undefined {
  if (person.trunkGroups !== undefined) return undefined;
  const links = kinds.flatMap(([path, what, check]) =>
    check === undefined
      ? []
      : html`<a href="${href(path)}">${check.total} ${what}${check.total === '1' ? '' : 's'}</a>`,
  );
  return html`${links.map((link, index) => html`${index > 0 && ', '}${link}`)}`;
}

/** Items that need attention come first. The lists are one click away. */
export const showOverview: Handler = async (context) => {
  const { href, may } = context;
  const [secrets, keys] = await Promise.all([
    unlessDenied(checkSecrets(context)),
    unlessDenied(checkKeys(context)),
  ]);
  // A check that AWS does not allow is omitted, and the page says so.
  const parts = { clients: secrets, 'API keys': keys };
  const denied = Object.entries(parts).flatMap(([what, part]) => (part === undefined ? what : []));
  const checks = Object.values(parts).flatMap((part) => part ?? []);
  const found = checks.filter(({ count }) => count > 0);
  const fine = checks.filter(({ count }) => count === 0);
  const isSmall = checks.some(({ examined = maxRows }) => examined < maxRows);
  const steps = isSmall ? await firstSteps(context) : undefined;
  return {
    title: 'Overview',
    section: 'overview',
    lead: listTotals(context, [
      ['/clients', 'client', secrets?.[0]],
      ['/api-keys', 'API key', keys?.[0]],
    ]),
    heading:
      found.length > 0
        ? 'Needs attention'
        : isIncomplete(checks, denied)
          ? 'Nothing found so far'
          : 'Nothing needs attention',
    actions:
      may('createClient') &&
      html`
        ${linkButton(href('/api-keys/new'), 'New API key')}
        ${linkButton(href('/clients/new'), 'New client', 'primary')}
      `,
    body: html`${steps}<div class="overview">${found.map(foundPanel)}</div>${endpointsPanel(context)}${
      fine.length + denied.length > 0 && finePanel(fine, denied)
    }`,
  };
};
