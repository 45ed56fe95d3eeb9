import type { Client } from '../../../adapters/management.ts';
import { isUsable } from '../../../core/client/client.ts';
import { clientPath } from '../../client-path.ts';
import { type Form, type FormPage, noValues, ownVersion } from '../../forms/form.ts';
import { type Html, html } from '../../html/html.ts';
import { consequences } from '../../html/parts.ts';
import type { RequestContext } from '../../request-context.ts';
import { isUseKnown } from './client-list.ts';
import { findLongestText, getClient, ofClient, refusedPage } from './one-client.ts';
import { uses } from './secret-table.ts';

const enabledForm = (enabled: boolean): Form<Client, undefined> => ({
  ...noValues,
  operation: 'setClientEnabled',
  find: getClient,
  // Stopping wins: a version that is out of date does not hold it up.
  version: enabled ? ownVersion : undefined,
  act: async ({ management, href, id }, { ifVersion }) => {
    const clientId = id('clientId');
    await management.setClientEnabled(clientId, enabled, { ifVersion });
    const done = enabled ? 'client-enabled' : 'client-disabled';
    return { redirectTo: href(clientPath(clientId), { done }) };
  },
  look: (context, { subject, problems }) => refusedPage(context, subject, problems),
});

export const clientEnabling = enabledForm(true);
export const clientDisabling = enabledForm(false);

async function deletionText(context: RequestContext, client: Client): Promise<Html> {
  const { now } = context;
  const live = client.secrets.filter((secret) => isUsable(secret, now));
  const { provider } = client;
  const stop = live.length === 1 ? 'Its secret stops' : `Its ${live.length} secrets stop`;
  return consequences(
    provider === undefined
      ? 'The client gets no new tokens, at once.'
      : `Tokens of ${provider.issuer} for this client are refused, at once.`,
    isUseKnown(client, context.deployment) &&
      `Tokens that it has already work until they expire, at most ${await findLongestText(context, client)}, except at platform APIs that look up clients.`,
    live.length > 0 && html`${stop} working: ${uses(live, now)}`,
    'It cannot be undone. A new client has another id.',
  );
}

/** The page before a change that cannot be undone. */
function confirmation(
  context: RequestContext,
  client: Client,
  page: { readonly title: string; readonly submit: string; readonly fields: Html },
): FormPage {
  return {
    ...page,
    heading: `${page.title}?`,
    ...ofClient(context, client),
    lead: html`
      <code>${client.clientId}</code>, trunk group <code>${client.serviceTrunkGroup}</code>
    `,
    submitKind: 'danger',
  };
}

export const clientDeletion: Form<Client, undefined> = {
  ...noValues,
  operation: 'deleteClient',
  find: getClient,
  version: ownVersion,
  act: async ({ management, href, id }, { ifVersion }) => {
    await management.deleteClient(id('clientId'), { ifVersion });
    return { redirectTo: href('/clients', { done: 'client-deleted' }) };
  },
  look: async (context, { subject: client }) =>
    confirmation(context, client, {
      title: `Delete ${client.name}`,
      submit: 'Delete client',
      fields: await deletionText(context, client),
    }),
};

async function revocationText(context: RequestContext, client: Client): Promise<Html> {
  const { provider } = client;
  return consequences(
    isUseKnown(client, context.deployment) &&
      `Platform APIs that look up clients refuse every token that was issued before now. The others accept them until they expire, at most ${await findLongestText(context, client)}.`,
    provider === undefined
      ? 'The secrets still work. If one has leaked, replace it first.'
      : `Tokens that ${provider.issuer} issued before now are refused.`,
    'New tokens are accepted.',
    'It takes about four seconds, and cannot be undone.',
  );
}

/** It has no version: stopping wins. */
export const tokenRevocation: Form<Client, undefined> = {
  ...noValues,
  operation: 'revokeClientTokens',
  find: getClient,
  act: async ({ management, href, id }) => {
    const clientId = id('clientId');
    await management.revokeClientTokens(clientId);
    return { redirectTo: href(clientPath(clientId), { done: 'tokens-revoked' }) };
  },
  look: async (context, { subject: client }) =>
    confirmation(context, client, {
      title: `Revoke the tokens of ${client.name}`,
      submit: 'Revoke tokens',
      fields: await revocationText(context, client),
    }),
};
