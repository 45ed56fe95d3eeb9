import type { IdentityProvider } from '../../../adapters/management.ts';
import { mayRegister } from '../../access/own-providers.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, dataTable, rowLink } from '../../html/list.ts';
import { emptyState, linkButton } from '../../html/parts.ts';
import { distance } from '../../html/time.ts';
import type { Health } from '../../provider-health.ts';
import type { Handler } from '../../request-context.ts';

/** The text about the keys of a provider. */
export function healthBadge(health: Health): Html {
  if (health === undefined) return badge('info', 'Being checked');
  if (health.keySet === undefined) return badge('bad', 'Keys cannot be fetched');
  const { length } = health.keySet.keys;
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
  const { management, person, href, now, health } = context;
  const providers = await context.listProviders(person.trunkGroups ?? []);
  const healths = await health.check(
    management,
    providers.map(({ issuer }) => issuer),
    now,
  );
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
              ['Keys at present', ({ issuer }) => healthBadge(healths.get(issuer))],
              ['Algorithms', ({ allowedAlgorithms }) => allowedAlgorithms.join(', '), 'minor'],
              ['Registered', ({ registeredAt }) => distance(registeredAt, now), 'minor'],
            ],
            providers,
          ),
  };
};
