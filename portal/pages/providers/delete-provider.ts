import type { Client, IdentityProvider, ListedPage } from '../../../adapters/management.ts';
import { exchangedTokensWarning } from '../../../contract/management/field-words.ts';
import { mayChange } from '../../access/own-providers.ts';
import { type Form, Instead } from '../../forms/form.ts';
import { hiddenField } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import { consequences } from '../../html/parts.ts';
import type { HtmlPage, RequestContext } from '../../request-context.ts';
import { countOf, getProvider, ofProvider, toProvider } from './provider-pages.ts';

/** Names on the page; the rest is counted. */
const shownClients = 10;

/** Whose clients are deleted: `tg-1001 (7), tg-2002 (1)`. */
function groupsOf(clients: readonly Client[]): string {
  const groups = Map.groupBy(clients, ({ serviceTrunkGroup }) => serviceTrunkGroup);
  return [...groups].map(([group, { length }]) => `${group} (${length})`).join(', ');
}

/** Clients that one request deletes. Each takes three writes, and a user waits. */
const deletedAtOnce = 20;

/** When tokens are refused. The provider is deleted after its last client. */
function refusalText({ items, nextCursor }: ListedPage<Client>): string {
  return nextCursor === undefined && items.length <= deletedAtOnce
    ? 'Every token of the provider is refused, at once.'
    : `Every token of the provider is refused within seconds. Its clients are then deleted, ${deletedAtOnce} at a time: leave the page open until it says that the provider was deleted, or delete it again to go on.`;
}

/** What is deleted with the provider. */
function clientsText(context: RequestContext, clients: ListedPage<Client>): Html {
  const { items, nextCursor } = clients;
  if (items.length === 0 && nextCursor === undefined) return html`It has no clients.`;
  const rest = items.length - shownClients;
  return html`
    <strong>The clients under it are deleted with it: ${countOf(context, clients)}.</strong>
    ${items.length > 0 && html` Their trunk groups: ${groupsOf(items)}.`}${
      nextCursor !== undefined && ' Not all clients were read: there may be more, of others too.'
    }
    <ul>
      ${items.slice(0, shownClients).map(({ name, clientId }) => html`<li>${name} <code>${clientId}</code></li>`)}
      ${rest > 0 && html`<li>and ${rest} more</li>`}
    </ul>
  `;
}

/**
 * The deletion continues: each request deletes some clients and reads one page of the table. The
 * script sends the form automatically.
 */
function showProgress(context: RequestContext, deleted: number, cursor: string): HtmlPage {
  const { form, href } = context;
  const issuer = form.text('issuer');
  const kept = ['issuer', 'ifRegistration', 'cascade'];
  return {
    title: `Deleting ${issuer}`,
    heading: 'The provider is being deleted',
    section: 'identity-providers',
    lead: html`<code>${issuer}</code>`,
    body: html`
      <form class="sheet" method="post" action="${href('/identity-providers/delete')}" data-once data-continue>
        ${kept.map((name) => hiddenField(name, form.text(name)))}${hiddenField('cursor', cursor)}
        ${hiddenField('deleted', deleted)}
        <p role="status">
          Deleted ${
            deleted === 1 ? 'one client' : `${deleted} clients`
          } so far. Tokens of the others are accepted until then. The provider follows when its last
          client is deleted.
        </p>
        <p>
          If you leave, what was deleted stays deleted, and the provider stays with the rest.
        </p>
        <div class="form-actions">
          <button class="button button-danger" type="submit">
            Continue</button>
        </div>
      </form>
    `,
  };
}

/** What was confirmed is deleted: `ifRegistration` is the version of a provider, which is not edited. */
export const providerDeletion: Form<IdentityProvider, undefined> = {
  operation: 'deleteProvider',
  find: getProvider,
  start: (context, provider) =>
    mayChange(context, provider) ? undefined : new Instead(toProvider(context, provider)),
  read: () => undefined,
  act: async (context) => {
    const { management, form, href } = context;
    const { items, nextCursor } = await management.deleteProvider(form.text('issuer'), {
      cascade: form.isOn('cascade'),
      ifRegistration: form.text('ifRegistration'),
      limit: deletedAtOnce,
      cursor: form.optional('cursor'),
    });
    if (nextCursor === undefined) {
      return { redirectTo: href('/identity-providers', { done: 'provider-deleted' }) };
    }
    const before = Number(form.text('deleted')) || 0;
    return showProgress(context, before + items.length, nextCursor);
  },
  look: async (context, { subject: { issuer, registrationId } }) => {
    const clients = await context.management.listClients({ provider: issuer });
    const hasClients = clients.items.length > 0 || clients.nextCursor !== undefined;
    const isAnyKnown = clients.items.length > 0;
    return {
      title: `Delete ${issuer}`,
      heading: 'Delete this identity provider?',
      ...ofProvider(context, issuer),
      lead: html`<code>${issuer}</code>`,
      submit: isAnyKnown
        ? `Delete provider and its clients (${countOf(context, clients)})`
        : `Delete provider${hasClients ? ' and its clients' : ''}`,
      submitKind: 'danger',
      fields: [
        hiddenField('issuer', issuer),
        hiddenField('ifRegistration', registrationId),
        hasClients && hiddenField('cascade', 'yes'),
        consequences(
          html`${refusalText(clients)}${context.deployment.acceptsAssertions && exchangedTokensWarning}`,
          clientsText(context, clients),
          'It cannot be undone. If it is registered again, its clients must be created again.',
        ),
      ],
    };
  },
};
