import type { Client } from '../../../adapters/management.ts';
import { isUsable } from '../../../core/client/client.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { hiddenField } from '../../html/field.ts';
import { errorSummary, postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { linkButton, pageHeader } from '../../html/parts.ts';
import { formatDayDistance, formatExactSpan } from '../../html/time.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { secretTitle } from './secret-table.ts';

/** A refused change, with a link back to the client. */
export function refusedPage(context: RequestContext, client: Client, problems: Problems): Page {
  const address = context.href(`/clients/${client.clientId}`);
  return {
    status: problems.status,
    title: client.name,
    section: 'clients',
    body: html`${pageHeader({ title: client.name, crumbs: [{ text: 'Clients', href: context.href('/clients') }] })}${errorSummary(problems, {})}${linkButton(address, 'See the client as it is now', 'primary')}`,
  };
}

function setEnabled(enabled: boolean): Handler {
  return async (context) => {
    const { management, form, href } = context;
    const clientId = context.id('clientId');
    return submit(
      async () => {
        // Stopping wins: a version that is out of date does not hold it up.
        const options = enabled ? { ifVersion: readVersion(form) } : {};
        await management.setClientEnabled(clientId, enabled, options);
        const done = enabled ? 'client-enabled' : 'client-disabled';
        return { redirectTo: href(`/clients/${clientId}`, { done }) };
      },
      async (problems) => refusedPage(context, await management.findClient(clientId), problems),
    );
  };
}

export const enableClient = setEnabled(true);
export const disableClient = setEnabled(false);

function useOfSecret(secret: Client['secrets'][number], now: number): Html {
  const { lastUsedOn } = secret;
  const use =
    lastUsedOn === undefined ? 'never used' : `last used ${formatDayDistance(lastUsedOn, now)}`;
  return html`<li>${secretTitle(secret)} <span class="muted">${use}</span></li>`;
}

function consequences({ now }: RequestContext, client: Client): Html {
  const live = client.secrets.filter((secret) => isUsable(secret, now));
  const { provider } = client;
  return html`<ul class="consequences"><li>${
    provider === undefined
      ? 'The client gets no new tokens, at once.'
      : `Tokens of ${provider.issuer} for this client are refused, at once.`
  }</li>${
    provider === undefined &&
    html`<li>Tokens that it has already work until they expire, at most ${formatExactSpan(client.tokenLifetime)}, except at platform APIs that look up clients.</li>`
  }${
    live.length > 0 &&
    html`<li>${live.length === 1 ? 'Its secret stops working' : `Its ${live.length} secrets stop working`}:<ul>${live.map((secret) => useOfSecret(secret, now))}</ul></li>`
  }<li>It cannot be undone. A new client has another id.</li></ul>`;
}

/** A change that cannot be undone. */
interface StoppingChange {
  /** Last part of the address. */
  readonly action: 'delete' | 'revoke-tokens';
  readonly title: (name: string) => string;
  readonly submit: string;
  readonly consequences: (context: RequestContext, client: Client) => Html;
}

function showConfirmation(
  context: RequestContext,
  client: Client,
  problems: Problems,
  change: StoppingChange,
): Page {
  const { href } = context;
  const address = href(`/clients/${client.clientId}`);
  const title = change.title(client.name);
  return {
    status: problems.status,
    title,
    section: 'clients',
    body: html`${pageHeader({
      title: `${title}?`,
      crumbs: [
        { text: 'Clients', href: href('/clients') },
        { text: client.name, href: address },
      ],
      lead: html`<code>${client.clientId}</code>, trunk group <code>${client.serviceTrunkGroup}</code>`,
    })}${postForm(
      {
        action: href(`/clients/${client.clientId}/${change.action}`),
        problems,
        labels: {},
        submit: change.submit,
        submitKind: 'danger',
        cancel: address,
      },
      [hiddenField('ifVersion', client.version), change.consequences(context, client)],
    )}`,
  };
}

const deletion: StoppingChange = {
  action: 'delete',
  title: (name) => `Delete ${name}`,
  submit: 'Delete client',
  consequences,
};

export const confirmDeleteClient: Handler = async (context) => {
  context.require('deleteClient');
  const client = await context.management.findClient(context.id('clientId'));
  return showConfirmation(context, client, noProblems, deletion);
};

export const deleteClient: Handler = async (context) => {
  const { management, form, href } = context;
  const clientId = context.id('clientId');
  return submit(
    async () => {
      await management.deleteClient(clientId, { ifVersion: readVersion(form) });
      return { redirectTo: href('/clients', { done: 'client-deleted' }) };
    },
    async (problems) =>
      showConfirmation(context, await management.findClient(clientId), problems, deletion),
  );
};

const revocation: StoppingChange = {
  action: 'revoke-tokens',
  title: (name) => `Revoke the tokens of ${name}`,
  submit: 'Revoke tokens',
  consequences: (_, { provider, tokenLifetime }) =>
    html`<ul class="consequences">${
      provider === undefined
        ? html`<li>Platform APIs that look up clients refuse every token that was issued before now. The others accept them until they expire, at most ${formatExactSpan(tokenLifetime)}.</li><li>The secrets still work. If one has leaked, replace it first.</li>`
        : html`<li>Tokens that ${provider.issuer} issued before now are refused.</li>`
    }<li>New tokens are accepted.</li><li>It takes about four seconds, and cannot be undone.</li></ul>`,
};

export const confirmRevokeTokens: Handler = async (context) => {
  context.require('revokeClientTokens');
  const client = await context.management.findClient(context.id('clientId'));
  return showConfirmation(context, client, noProblems, revocation);
};

export const revokeTokens: Handler = async (context) => {
  const { management, href } = context;
  const clientId = context.id('clientId');
  return submit(
    async () => {
      await management.revokeClientTokens(clientId);
      return { redirectTo: href(`/clients/${clientId}`, { done: 'tokens-revoked' }) };
    },
    async (problems) =>
      showConfirmation(context, await management.findClient(clientId), problems, revocation),
  );
};
