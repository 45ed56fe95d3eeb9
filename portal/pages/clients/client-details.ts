import type { Client } from '../../../adapters/management.ts';
import { clientWords, fieldLabel } from '../../../contract/management/field-words.ts';
import { plainClientFields } from '../../../contract/management/inputs.ts';
import { describeDeclaration, hadTokensRevoked } from '../../../core/client/client.ts';
import { lastUse } from '../../../core/client/secret-attention.ts';
import { isStoppedBy } from '../../../core/stops.ts';
import { clientPath } from '../../client-path.ts';
import { versionField } from '../../forms/form.ts';
import { fieldFact } from '../../forms/worded-fields.ts';
import { actionButton } from '../../html/form.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { enabledBadge, stopsText } from '../../html/list.ts';
import {
  copyable,
  dangerPanel,
  emptyState,
  type Fact,
  factList,
  linkButton,
  panel,
} from '../../html/parts.ts';
import { distance, formatDayDistance, timeWithDistance } from '../../html/time.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { changedFact } from '../audit/audit.ts';
import { firstExpiry, isUseKnown } from './client-list.ts';
import { nextSteps } from './next-steps.ts';
import { findLongestText } from './one-client.ts';
import { isKey, secretTable } from './secret-table.ts';

/** Those of an earlier client with this id can only be a provider's: its clients have derived ids. */
function refusedTokens(client: Client, now: number): Fact | undefined {
  const { tokensNotBefore, provider } = client;
  const wereRevoked = hadTokensRevoked(client);
  if (tokensNotBefore === undefined || (provider === undefined && !wereRevoked)) return undefined;
  const undated = provider !== undefined && ', and those without iat';
  return [
    wereRevoked ? 'Tokens revoked' : 'Tokens refused',
    html`issued before ${timeWithDistance(tokensNotBefore, now)}${undated}`,
  ];
}

/** A provider sets the lifetime of its tokens, not that of a token of this service for an assertion. */
function providerLifetime(
  { acceptsAssertions }: RequestContext['deployment'],
  { tokenLifetime }: Client,
): HtmlValue {
  if (acceptsAssertions !== true) return 'Its provider sets it';
  const span = fieldFact(clientWords.tokenLifetime, tokenLifetime);
  return html`${span}, of a token that it gets here. Its provider sets that of its own tokens.`;
}

function clientFacts(context: RequestContext, client: Client): Html {
  const { deployment, now, href } = context;
  const audiences = client.audiences.length > 0 ? client.audiences : [deployment.defaultAudience];
  const { provider, declared } = client;
  return factList([
    [
      'Client id',
      html`${copyable(client.clientId, 'the client id')}${
        provider === undefined &&
        html`<span class="hint line">The user name of HTTP Basic. The password is a secret.</span>`
      }`,
    ],
    [fieldLabel('serviceTrunkGroup'), html`<code>${client.serviceTrunkGroup}</code>`],
    [
      'Scopes',
      html`<ul class="tags">${client.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`,
    ],
    ...plainClientFields.map((name): Fact | undefined => {
      const value = client[name];
      if (value === undefined) return undefined;
      return [
        fieldLabel(name),
        name === 'tokenLifetime' && provider !== undefined
          ? providerLifetime(deployment, client)
          : fieldFact(clientWords[name], value),
      ];
    }),
    ['Audience', audiences.map((audience) => html`<code class="line">${audience}</code>`)],
    [
      'Provider',
      provider === undefined
        ? html`
          This service <code class="line">${deployment.issuer ?? 'the address of the API'}</code>
        `
        : html`
          <a href="${href('/identity-providers/show', { issuer: provider.issuer })}">
          ${provider.issuer}</a>
        `,
    ],
    provider && [fieldLabel('externalClientId'), html`<code>${provider.externalClientId}</code>`],
    provider?.conditions && [
      fieldLabel('requiredClaims'),
      provider.conditions.map(
        ({ claim, values }) => html`<code class="line">${claim}: ${values.join(' or ')}</code>`,
      ),
    ],
    declared && [fieldLabel('declaredBy'), describeDeclaration(declared)],
    declared?.undeclaredAt !== undefined && [
      fieldLabel('undeclaredAt'),
      timeWithDistance(declared.undeclaredAt, now),
    ],
    !client.enabled && ['Disabled', stopsText(client)],
    refusedTokens(client, now),
    ['Created', timeWithDistance(client.createdAt, now)],
    changedFact(context, clientPath(client.clientId), client.updatedAt),
  ]);
}

/** What one comes for: whether it is used, and until when it works. */
function glance({ now, deployment }: RequestContext, client: Client): Html | undefined {
  if (!isUseKnown(client, deployment)) return undefined;
  const used = lastUse(client);
  const use = html`Last used <strong>${used === undefined ? 'never' : formatDayDistance(used, now)}</strong>.`;
  if (client.provider !== undefined) return use;
  if (client.secrets.length === 0) return undefined;
  const expiry = firstExpiry(client, now);
  const end = expiry === undefined ? 'none' : distance(expiry, now);
  return html`${use} Next expiry: <strong>${end}</strong>.`;
}

function secretsPanel(context: RequestContext, client: Client): Html {
  const { href, may, deployment } = context;
  if (client.provider !== undefined) {
    const note = 'The client authenticates at its provider and has no secrets here.';
    return panel({ title: 'Secrets', id: 'secrets' }, html`<p class="panel-text">${note}</p>`);
  }
  const { clientKeys } = deployment;
  const link = (path: string, text: string, kind?: 'primary') =>
    linkButton(href(`${clientPath(client.clientId)}/${path}`), text, kind);
  const actions = html`
    ${clientKeys && client.secrets.some(isKey) && link('keys/rotate', 'Rotate keys')}
    ${clientKeys && link('keys/new', 'Add public key', clientKeys.only ? 'primary' : undefined)}
    ${!client.secrets.every(isKey) && link('secrets/rotate', clientKeys ? 'Rotate secrets' : 'Rotate')}
    ${clientKeys?.only !== true && link('secrets/new', 'New secret', 'primary')}
  `;
  const title = clientKeys === undefined ? 'Secrets' : 'Secrets and keys';
  const what = clientKeys?.only === true ? 'key' : 'secret';
  return panel(
    { title, id: 'secrets', actions: may('createClientSecret') ? actions : undefined },
    client.secrets.length > 0
      ? secretTable(context, client)
      : emptyState(`No ${what}s yet`, `Without a ${what} the client cannot get a token.`),
  );
}

/** What disabling does, as the page of the deletion says it. */
async function disablingText(context: RequestContext, client: Client): Promise<HtmlValue> {
  const { provider } = client;
  const ofProvider =
    provider !== undefined && `Tokens of ${provider.issuer} for this client are refused, at once.`;
  if (ofProvider && context.deployment.acceptsAssertions !== true) return ofProvider;
  return html`
    ${ofProvider} The client gets no new tokens${ofProvider && ' here'}. Platform APIs that look up
    clients refuse those that it has; at the others they work until they expire, at
    most ${await findLongestText(context, client)}.
  `;
}

async function stopPanel(context: RequestContext, client: Client): Promise<Html | ''> {
  const { href, may } = context;
  if (!may('deleteClient')) return '';
  const address = clientPath(client.clientId);
  const version = versionField(client.version);
  return dangerPanel('Stop this client', [
    !isStoppedBy(client, 'person')
      ? {
          title: 'Disable',
          text: html`${await disablingText(context, client)} It can be enabled again.`,
          action: actionButton(href(`${address}/disable`), 'Disable client', version),
        }
      : {
          title: 'Enable',
          text: `${client.provider === undefined ? 'The secrets that have not expired work' : 'Tokens of its provider are accepted'} again.`,
          action: actionButton(href(`${address}/enable`), 'Enable client', version, 'primary'),
        },
    {
      title: 'Revoke tokens',
      text: 'Platform APIs that look up clients refuse the tokens that it has. New tokens are accepted.',
      action: linkButton(href(`${address}/revoke-tokens`), 'Revoke tokens…', 'danger'),
    },
    {
      title: 'Delete',
      text: `${client.provider === undefined ? 'The client and its secrets are' : 'The client is'} removed for good.`,
      action: linkButton(href(`${address}/delete`), 'Delete client…', 'danger'),
    },
  ]);
}

export const showClient: Handler = async (context) => {
  const { management, href, may } = context;
  const client = await management.findClient(context.id('clientId'));
  const isNew = isUseKnown(client, context.deployment) && lastUse(client) === undefined;
  const steps = client.provider === undefined && nextSteps(context, client);
  return {
    title: client.name,
    section: 'clients',
    crumbs: [],
    badge: enabledBadge(client.enabled),
    lead: glance(context, client),
    actions: may('updateClient') && linkButton(href(`${clientPath(client.clientId)}/edit`), 'Edit'),
    body: html`
      ${isNew && steps}${secretsPanel(context, client)}
      ${panel({ title: 'Details', id: 'details' }, clientFacts(context, client))}${!isNew && steps}${await stopPanel(context, client)}
    `,
  };
};
