import type { IdentityProvider } from '../../../adapters/management.ts';
import { mayChange } from '../../access/own-providers.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { submit } from '../../forms/submit.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { countOf, toProvider } from './provider-details.ts';

/** Names on the page; the rest is counted. */
const shownClients = 10;

async function showConfirmation(
  context: RequestContext,
  provider: IdentityProvider,
  problems: Problems,
): Promise<Page> {
  const { management, href } = context;
  const { issuer, registrationId } = provider;
  const clients = await management.listClients({ provider: issuer });
  const hasClients = clients.items.length > 0 || clients.nextCursor !== undefined;
  const shown = clients.items.slice(0, shownClients);
  const rest = clients.items.length - shown.length;
  return {
    status: problems.status,
    title: `Delete ${issuer}`,
    section: 'identity-providers',
    body: html`${pageHeader({
      title: 'Delete this identity provider?',
      crumbs: [
        { text: 'Identity providers', href: href('/identity-providers') },
        { text: issuer, href: href('/identity-providers/show', { issuer }) },
      ],
      lead: html`<code>${issuer}</code>`,
    })}${postForm(
      {
        action: href('/identity-providers/delete'),
        problems,
        labels: {},
        submit: hasClients
          ? `Delete provider and its clients (${countOf(clients)})`
          : 'Delete provider',
        submitKind: 'danger',
        cancel: href('/identity-providers/show', { issuer }),
      },
      [
        hiddenField('issuer', issuer),
        hiddenField('ifRegistration', registrationId),
        hasClients && hiddenField('cascade', 'yes'),
        html`<ul class="consequences"><li>Every token of the provider is refused, at once.</li>${
          hasClients
            ? html`<li><strong>The clients under it are deleted with it: ${countOf(clients)}.</strong><ul>${shown.map(({ name, clientId }) => html`<li>${name} <code>${clientId}</code></li>`)}${rest > 0 && html`<li>and ${rest} more</li>`}</ul></li>`
            : html`<li>It has no clients.</li>`
        }<li>It cannot be undone. If it is registered again, its clients must be created again.</li></ul>`,
      ],
    )}`,
  };
}

export const confirmDeleteProvider: Handler = async (context) => {
  context.require('deleteProvider');
  const provider = await context.management.findProvider(context.query.text('issuer'));
  if (!mayChange(context, provider)) return toProvider(context, provider);
  return showConfirmation(context, provider, noProblems);
};

/**
 * The deletion continues: each request deletes some clients and reads one page of the table. The
 * script sends the form automatically.
 */
function showProgress(context: RequestContext, deleted: number, cursor: string): Page {
  const { form, href } = context;
  const issuer = form.text('issuer');
  const kept = ['issuer', 'ifRegistration', 'cascade'].map(
    (name) => [name, form.text(name)] as const,
  );
  return {
    title: `Deleting ${issuer}`,
    section: 'identity-providers',
    body: html`${pageHeader({
      title: 'The provider is being deleted',
      lead: html`<code>${issuer}</code>`,
    })}<form class="sheet" method="post" action="${href('/identity-providers/delete')}" data-once data-continue>${[
      ...kept,
      ['cursor', cursor] as const,
      ['deleted', deleted] as const,
    ].map(([name, value]) => hiddenField(name, value))}<p role="status">Deleted ${
      deleted === 1 ? 'one client' : `${deleted} clients`
    } so far. The provider follows when its last client is deleted.</p><p>If you leave, what was deleted stays deleted, and the provider stays with the rest.</p><div class="form-actions"><button class="button button-danger" type="submit">Continue</button></div></form>`,
  };
}

/** Clients that one request deletes. Each takes three writes, and a user waits. */
const deletedAtOnce = 20;

export const deleteProvider: Handler = async (context) => {
  const { management, form, href } = context;
  const issuer = form.text('issuer');
  return submit(
    async () => {
      const { items, nextCursor } = await management.deleteProvider(issuer, {
        cascade: form.isOn('cascade'),
        ifRegistration: form.text('ifRegistration'),
        limit: deletedAtOnce,
        cursor: form.optional('cursor'),
      });
      if (nextCursor !== undefined) {
        const before = Number(form.text('deleted')) || 0;
        return showProgress(context, before + items.length, nextCursor);
      }
      return { redirectTo: href('/identity-providers', { done: 'provider-deleted' }) };
    },
    async (problems) => showConfirmation(context, await management.findProvider(issuer), problems),
  );
};
