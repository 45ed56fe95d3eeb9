import type { Client } from '../../../adapters/management.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { hiddenField } from '../../html/field.ts';
import { errorSummary, postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { linkButton, pageHeader } from '../../html/parts.ts';
import { formatDayDistance, formatExactSpan } from '../../html/time.ts';
import type { Handler, Page, Visit } from '../../visit.ts';
import { secretTitle } from './secret-table.ts';

/** A refused change, with a link back to the client. */
export function refusedPage(visit: Visit, client: Client, problems: Problems): Page {
  const address = visit.href(`/clients/${client.clientId}`);
  return {
    status: problems.status,
    title: client.name,
    section: 'clients',
    body: html`${pageHeader({ title: client.name, crumbs: [{ text: 'Clients', href: visit.href('/clients') }] })}${errorSummary(problems, {})}${linkButton(address, 'See the client as it is now', 'primary')}`,
  };
}

function setEnabled(enabled: boolean): Handler {
  return async (visit) => {
    const { management, form, href } = visit;
    const clientId = visit.id('clientId');
    return submit(
      async () => {
        await management.setClientEnabled(clientId, enabled, { ifVersion: readVersion(form) });
        const done = enabled ? 'client-enabled' : 'client-disabled';
        return { redirectTo: href(`/clients/${clientId}`, { done }) };
      },
      async (problems) => refusedPage(visit, await management.findClient(clientId), problems),
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

function consequences({ now }: Visit, client: Client): Html {
  const live = client.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const { provider } = client;
  return html`<ul class="consequences"><li>${
    provider === undefined
      ? 'The client gets no new tokens, at once.'
      : `Tokens of ${provider.issuer} for this client are refused, at once.`
  }</li>${
    provider === undefined &&
    html`<li>Tokens that it has already work until they end, at most ${formatExactSpan(client.tokenLifetime)}.</li>`
  }${
    live.length > 0 &&
    html`<li>${live.length === 1 ? 'Its secret stops working' : `Its ${live.length} secrets stop working`}:<ul>${live.map((secret) => useOfSecret(secret, now))}</ul></li>`
  }<li>It cannot be undone. A new client has another id.</li></ul>`;
}

function showConfirmation(visit: Visit, client: Client, problems: Problems): Page {
  const { href } = visit;
  const address = href(`/clients/${client.clientId}`);
  return {
    status: problems.status,
    title: `Delete ${client.name}`,
    section: 'clients',
    body: html`${pageHeader({
      title: `Delete ${client.name}?`,
      crumbs: [
        { text: 'Clients', href: href('/clients') },
        { text: client.name, href: address },
      ],
      lead: html`<code>${client.clientId}</code>, trunk group <code>${client.serviceTrunkGroup}</code>`,
    })}${postForm(
      {
        action: href(`/clients/${client.clientId}/delete`),
        problems,
        labels: {},
        submit: 'Delete client',
        submitKind: 'danger',
        cancel: address,
      },
      [hiddenField('ifVersion', client.version), consequences(visit, client)],
    )}`,
  };
}

export const confirmDeleteClient: Handler = async (visit) => {
  visit.require('deleteClient');
  const client = await visit.management.findClient(visit.id('clientId'));
  return showConfirmation(visit, client, noProblems);
};

export const deleteClient: Handler = async (visit) => {
  const { management, form, href } = visit;
  const clientId = visit.id('clientId');
  return submit(
    async () => {
      await management.deleteClient(clientId, { ifVersion: readVersion(form) });
      return { redirectTo: href('/clients', { done: 'client-deleted' }) };
    },
    async (problems) => showConfirmation(visit, await management.findClient(clientId), problems),
  );
};
