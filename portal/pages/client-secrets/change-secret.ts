import type { Client, ClientSecret } from '../../../adapters/management.ts';
import { isUsable } from '../../../core/client/client.ts';
import { type ExpiryValues, readExpiry, readExpiryValues } from '../../forms/expiry.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { formatDayDistance, formatMinute } from '../../html/time.ts';
import { HttpError } from '../../http-error.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { secretTitle } from '../clients/secret-table.ts';
import { refusedPage } from '../clients/stop-client.ts';
import { secretChecks, secretLabels, secretNameField, secretPage } from './new-secret.ts';

interface Found {
  readonly client: Client;
  readonly secret: ClientSecret;
  /** The address of the page. The address of the form begins with it. */
  readonly address: string;
}

async function findSecret(context: RequestContext): Promise<Found> {
  const client = await context.management.findClient(context.id('clientId'));
  const secretId = context.id('secretId');
  const secret = client.secrets.find((one) => one.secretId === secretId);
  if (secret === undefined) throw new HttpError(404);
  return { client, secret, address: `/clients/${client.clientId}/secrets/${secretId}` };
}

interface Editing extends Found {
  readonly values: ExpiryValues & { readonly name: string };
  readonly version: number;
  readonly problems: Problems;
}

async function showForm(context: RequestContext, editing: Editing): Promise<Page> {
  const { client, secret, address, values, problems, version } = editing;
  const { maxSecretLifetime: maxLifetime } = await context.granted(client.serviceTrunkGroup);
  const keep =
    secret.expiresAt === undefined
      ? 'As it is: never'
      : `As it is: ${formatMinute(secret.expiresAt)}`;
  const form = postForm(
    {
      action: context.href(address),
      problems,
      labels: secretLabels,
      submit: 'Save',
      cancel: context.href(`/clients/${client.clientId}`),
    },
    [
      hiddenField('ifVersion', problems.status === 409 ? client.version : version),
      secretNameField(values.name, problems),
      expiryField({ label: 'Expires', values, problems, keep, maxLifetime }),
    ],
  );
  return secretPage(context, client, {
    title: `Edit ${secretTitle(secret)}`,
    lead: 'Its value stays the same.',
    problems,
    body: form,
  });
}

export const editSecret: Handler = async (context) => {
  context.require('updateClientSecret');
  const found = await findSecret(context);
  const values = { name: found.secret.name ?? '', expiry: 'keep', expiryDate: '' };
  return showForm(context, {
    ...found,
    values,
    version: found.client.version,
    problems: noProblems,
  });
};

export const updateSecret: Handler = async (context) => {
  const { management, form, href, now } = context;
  const found = await findSecret(context);
  const { client, secret } = found;
  const values = { ...readExpiryValues(form, 'keep'), name: form.text('name') };
  const version = readVersion(form);
  return submit(
    async () => {
      requireFields(form, {}, secretChecks(values, now));
      // A name cannot be removed: an empty field does not change it.
      await management.updateClientSecret(client.clientId, secret.secretId, {
        name: values.name.trim() || undefined,
        expiresAt: readExpiry(values, now),
        ifVersion: version,
      });
      return { redirectTo: href(`/clients/${client.clientId}`, { done: 'secret-saved' }) };
    },
    async (problems) =>
      showForm(context, { ...(await findSecret(context)), values, version, problems }),
  );
};

function setEnabled(enabled: boolean): Handler {
  return async (context) => {
    const { management, form, href } = context;
    const { client, secret } = await findSecret(context);
    const { clientId } = client;
    return submit(
      async () => {
        // Stopping wins: a version that is out of date does not hold it up.
        await (enabled
          ? management.enableClientSecret(clientId, secret.secretId, {
              ifVersion: readVersion(form),
            })
          : management.disableClientSecret(clientId, secret.secretId));
        const done = enabled ? 'secret-enabled' : 'secret-disabled';
        return { redirectTo: href(`/clients/${clientId}`, { done }) };
      },
      async (problems) => refusedPage(context, await management.findClient(clientId), problems),
    );
  };
}

export const enableSecret = setEnabled(true);
export const disableSecret = setEnabled(false);

function consequences({ now }: RequestContext, client: Client, secret: ClientSecret): Html {
  const rest = client.secrets.filter(
    (one) => one.secretId !== secret.secretId && isUsable(one, now),
  );
  return html`<ul class="consequences"><li>${
    isUsable(secret, now)
      ? 'Callers that use this secret get no new tokens, at once. To stop it for a while, disable it.'
      : secret.disabled === true
        ? 'It is disabled and does not work at present.'
        : 'It has expired and no longer works anyway.'
  }</li><li>${
    secret.lastUsedOn === undefined
      ? 'It was never used.'
      : html`<strong>It was last used ${formatDayDistance(secret.lastUsedOn, now)}</strong> (${secret.lastUsedOn}).`
  }</li><li>${
    rest.length === 0
      ? html`<strong>No other secret of the client works</strong>: it then cannot get a token.`
      : `${rest.length} other ${rest.length === 1 ? 'secret of the client keeps' : 'secrets of the client keep'} working.`
  }</li><li>It cannot be undone.</li></ul>`;
}

function showConfirmation(context: RequestContext, found: Found, problems: Problems): Page {
  const { client, secret, address } = found;
  const form = postForm(
    {
      action: context.href(`${address}/delete`),
      problems,
      labels: {},
      submit: 'Delete secret',
      submitKind: 'danger',
      cancel: context.href(`/clients/${client.clientId}`),
    },
    [hiddenField('ifVersion', client.version), consequences(context, client, secret)],
  );
  return secretPage(context, client, {
    title: `Delete ${secretTitle(secret)}?`,
    lead: secret.secretId,
    problems,
    body: form,
  });
}

export const confirmDeleteSecret: Handler = async (context) => {
  context.require('deleteClientSecret');
  return showConfirmation(context, await findSecret(context), noProblems);
};

export const deleteSecret: Handler = async (context) => {
  const { management, form, href } = context;
  const { client, secret } = await findSecret(context);
  return submit(
    async () => {
      const ifVersion = readVersion(form);
      await management.deleteClientSecret(client.clientId, secret.secretId, { ifVersion });
      return { redirectTo: href(`/clients/${client.clientId}`, { done: 'secret-deleted' }) };
    },
    async (problems) => showConfirmation(context, await findSecret(context), problems),
  );
};
