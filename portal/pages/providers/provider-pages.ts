import type { IdentityProvider } from '../../../adapters/management.ts';
import { maxListedItems } from '../../../contract/bounds.ts';
import { describeGivenKeys, hasGivenKeys } from '../../../core/identity-provider/given-keys.ts';
import { mayChange, mayRegister, needsGrants } from '../../access/own-providers.ts';
import { asSentence } from '../../forms/problems.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, dataTable, providerKeyTable, rowLink } from '../../html/list.ts';
import { emptyState, type Fact, factList, linkButton, panel } from '../../html/parts.ts';
import { distance, timeWithDistance } from '../../html/time.ts';
import type { Handler, Redirect, RequestContext } from '../../request-context.ts';
import { clientColumns } from '../clients/client-list.ts';

/** Maximum clients on the page of a provider. The list of clients has the rest. */
const shownClients = 20;

type ProviderKeys = Awaited<ReturnType<RequestContext['management']['inspectProviderKeys']>>;
type ListedClients = Awaited<ReturnType<RequestContext['management']['listClients']>>;

/** `7`, or `500 or more` if the list continues. No count of the clients of others is told. */
export function countOf(
  { person }: Pick<RequestContext, 'person'>,
  { items, examined, nextCursor }: Pick<ListedClients, 'items' | 'examined' | 'nextCursor'>,
): string {
  if (nextCursor === undefined) return String(items.length);
  if (items.length > 0) return `${items.length} or more`;
  const first = person.trunkGroups === undefined ? `the first ${examined}` : 'those read so far';
  return `none among ${first}`;
}

function keysPanel({ keySet, problem }: ProviderKeys): Html {
  const body =
    keySet === undefined
      ? html`
          <div class="panel-text">
            <p class="problem">${asSentence(problem ?? '')}</p>
            <p>
              Until it can be reached, the platform’s APIs use the keys that they have, for a day at
              most.
            </p>
          </div>
        `
      : providerKeyTable(keySet);
  return panel(
    {
      title: 'Keys at present',
      id: 'keys',
      note: 'Fetched from the provider within the last half minute, or less often while it fails.',
    },
    body,
  );
}

/** Only a list that was read to its end says that there are none. */
function noClients({ nextCursor, examined }: ListedClients, all: Html): Html {
  const text =
    nextCursor === undefined
      ? 'No clients yet. Until there is one, every token of the provider is refused.'
      : html`None among the first ${examined} clients. ${all} looks at the others, too.`;
  return html`<p class="panel-text">${text}</p>`;
}

/** @param page undefined for a person with trunk groups: the list is a page of its own. */
export function clientsPanel(
  context: RequestContext,
  issuer: string,
  page: ListedClients | undefined,
): Html {
  const { href, may } = context;
  const create = linkButton(href('/clients/new', { provider: issuer }), 'New client', 'primary');
  const actions = may('createClient') ? create : undefined;
  const link = (text: string) =>
    html`<a href="${href('/clients', { provider: issuer })}">${text}</a>`;
  if (page === undefined) {
    const own = html`<p class="panel-text">${link('Your clients of this provider')}</p>`;
    return panel({ title: 'Clients', id: 'clients', actions }, own);
  }
  const all = link('All clients of this provider');
  return panel(
    { title: `Clients (${countOf(context, page)})`, id: 'clients', actions },
    page.items.length === 0
      ? noClients(page, all)
      : html`${dataTable('Clients', clientColumns(context), page.items.slice(0, shownClients))}${
          (page.items.length > shownClients || page.nextCursor !== undefined) &&
          html`<p class="panel-text">${all}</p>`
        }`,
  );
}

export function providerFacts(provider: IdentityProvider, more: readonly Fact[] = []): Html {
  const line = (text: string) => html`<code class="line">${text}</code>`;
  return factList([
    ['Issuer', line(provider.issuer)],
    ...(hasGivenKeys(provider)
      ? [['Keys from a file', describeGivenKeys(provider.givenKeys)] as const]
      : [
          ['Discovery URL', line(provider.discoveryUrl)] as const,
          ['JWKS URI', line(provider.jwksUri)] as const,
        ]),
    ['Algorithms', provider.allowedAlgorithms.join(', ')],
    [
      'Claim of the client id',
      provider.clientIdClaim ?? 'client_id, azp, sub: the first that a token has',
    ],
    provider.audienceFrom !== undefined && [
      'Audience',
      'aud, or the API that the scopes belong to',
    ],
    provider.clientPatterns === true && ['Client patterns', 'Allowed'],
    provider.leeway !== undefined && ['Clock difference', `${provider.leeway} seconds`],
    ...more,
  ]);
}

/** The provider that an address or a form names. Its issuer is no part of a path. */
export function getProvider({ management, form, query }: RequestContext) {
  return management.findProvider(form.text('issuer') || query.text('issuer'));
}

/** Where a page about one provider is. */
export function ofProvider({ href }: Pick<RequestContext, 'href'>, issuer: string) {
  const crumbs = [{ text: issuer, href: href('/identity-providers/show', { issuer }) }];
  return { section: 'identity-providers', crumbs } as const;
}

/** Where a form leads that would be refused: the page says whose the provider is. */
export function toProvider({ href }: RequestContext, { issuer }: IdentityProvider): Redirect {
  return { redirectTo: href('/identity-providers/show', { issuer }) };
}

export const showProvider: Handler = async (context) => {
  const { management, query, href, now, person } = context;
  const provider = await management.findProvider(query.text('issuer'));
  const { issuer } = provider;
  const [clients, keys] = await Promise.all([
    person.trunkGroups === undefined
      ? management.listClients({ provider: issuer, limit: maxListedItems })
      : undefined,
    management.inspectProviderKeys(issuer),
  ]);
  return {
    title: issuer,
    section: 'identity-providers',
    crumbs: [],
    badge: keysBadge(keys),
    actions: [
      needsGrants(context, provider) &&
        linkButton(href('/identity-providers/grants', { issuer }), 'Grants'),
      mayChange(context, provider) && [
        provider.owner !== undefined &&
          // With one trunk group there is nothing to choose.
          person.trunkGroups?.length !== 1 &&
          linkButton(href('/identity-providers/trunk-groups', { issuer }), 'Trunk groups'),
        linkButton(href('/identity-providers/delete', { issuer }), 'Delete…', 'danger'),
      ],
    ],
    body: html`${panel(
      {
        title: 'Details',
        id: 'details',
        note: 'A provider cannot be edited. To change it, delete it and register it again.',
      },
      providerFacts(provider, [
        ['Trunk groups', describeOwner(provider.owner)],
        ['Registered', timeWithDistance(provider.registeredAt, now)],
      ]),
    )}${clientsPanel(context, issuer, clients)}${keysPanel(keys)}`,
  };
};

/** The text about the keys of a provider. */
function keysBadge({ keySet }: ProviderKeys): Html {
  if (keySet === undefined) return badge('bad', 'Keys cannot be fetched');
  const { length } = keySet.keys;
  return badge('good', `${length} ${length === 1 ? 'key' : 'keys'}`);
}

/** Whose a provider is. */
export function describeOwner(owner: IdentityProvider['owner']): HtmlValue {
  if (owner === undefined) return 'All';
  const { trunkGroups, others, version } = owner;
  if (trunkGroups.length === 0) return version === 0 ? 'Not known, so none' : 'All';
  return html`<code>${trunkGroups.join(', ')}</code>${others === true && ' and others'}`;
}

export const showProviders: Handler = async (context) => {
  const { person, href, now } = context;
  const providers = await context.listProviders(person.trunkGroups ?? []);
  const register = (await mayRegister(context))
    ? linkButton(href('/identity-providers/new'), 'Register provider', 'primary')
    : undefined;
  return {
    title: 'Identity providers',
    section: 'identity-providers',
    lead: 'Tokens that a registered provider issues for its clients are accepted by the platform’s APIs.',
    actions: [
      person.trunkGroups === undefined &&
        context.may('listGrants') &&
        linkButton(href('/identity-providers/issuer-grants'), 'Granted issuers'),
      register,
    ],
    body:
      providers.length === 0
        ? emptyState(
            'No identity providers yet',
            register === undefined
              ? 'The platform’s staff registers them.'
              : 'Register one by its discovery URL. Its clients then need no secret here.',
            register,
          )
        : dataTable(
            'Identity providers',
            [
              [
                'Issuer',
                ({ issuer }) => rowLink(href('/identity-providers/show', { issuer }), issuer),
              ],
              ['Trunk groups', ({ owner }) => describeOwner(owner)],
              ['Algorithms', ({ allowedAlgorithms }) => allowedAlgorithms.join(', '), 'minor'],
              ['Registered', ({ registeredAt }) => distance(registeredAt, now), 'minor'],
            ],
            providers,
          ),
  };
};
