import type { Client, ClientSecret } from '../../../adapters/management.ts';
import { isUsable } from '../../../core/client/client.ts';
import { readExpiry, readExpiryValues } from '../../forms/expiry.ts';
import { type Form, noValues } from '../../forms/form.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { type Html, html } from '../../html/html.ts';
import { formatDayDistance, formatMinute } from '../../html/time.ts';
import { HttpError } from '../../http-error.ts';
import type { RequestContext } from '../../request-context.ts';
import { secretTitle } from '../clients/secret-table.ts';
import { clientCrumbs, getClient, refusedPage } from '../clients/stop-client.ts';
import { type SecretValues, secretInput, secretLabels, secretNameField } from './new-secret.ts';

interface Found {
  readonly client: Client;
  readonly secret: ClientSecret;
}

async function getSecret(context: RequestContext): Promise<Found> {
  const client = await getClient(context);
  const secretId = context.id('secretId');
  const secret = client.secrets.find((one) => one.secretId === secretId);
  if (secret === undefined) throw new HttpError(404);
  return { client, secret };
}

interface SecretChanges {
  readonly name: string | undefined;
  /** Seconds since the epoch; null: never. */
  readonly expiresAt: number | null | undefined;
}

const versionOf = ({ client }: Found) => client.version;

export const secretEdit: Form<Found, SecretValues, SecretChanges> = {
  operation: 'updateClientSecret',
  find: getSecret,
  version: versionOf,
  start: (_, { secret }) => ({ name: secret.name ?? '', expiry: 'keep', expiryDate: '' }),
  read: (form) => ({ ...readExpiryValues(form, 'keep'), name: form.text('name') }),
  // A name cannot be removed: an empty field does not change it.
  input: (values, { now }) => ({
    ...secretInput(values, now),
    expiresAt: () => readExpiry(values, now),
  }),
  act: async (context, { input, ifVersion }) => {
    const { client, secret } = await getSecret(context);
    const changes = { ...input, ifVersion };
    await context.management.updateClientSecret(client.clientId, secret.secretId, changes);
    return { redirectTo: context.href(`/clients/${client.clientId}`, { done: 'secret-saved' }) };
  },
  look: async (context, { subject: { client, secret }, values, problems }) => {
    const { maxSecretLifetime: maxLifetime } = await context.granted(client.serviceTrunkGroup);
    const present = secret.expiresAt === undefined ? 'never' : formatMinute(secret.expiresAt);
    const keep = `As it is: ${present}`;
    return {
      title: `Edit ${secretTitle(secret)}`,
      section: 'clients',
      crumbs: clientCrumbs(context, client),
      lead: 'Its value stays the same.',
      labels: secretLabels,
      submit: 'Save',
      fields: [
        secretNameField(values.name, problems),
        expiryField({ label: 'Expires', values, problems, keep, maxLifetime }),
      ],
    };
  },
};

const refused: Form<Found, undefined>['look'] = (context, { subject, problems }) =>
  refusedPage(context, subject.client, problems);

export const secretEnabling: Form<Found, undefined> = {
  ...noValues,
  operation: 'enableClientSecret',
  find: getSecret,
  version: versionOf,
  act: async (context, { ifVersion }) => {
    const { client, secret } = await getSecret(context);
    await context.management.enableClientSecret(client.clientId, secret.secretId, { ifVersion });
    return { redirectTo: context.href(`/clients/${client.clientId}`, { done: 'secret-enabled' }) };
  },
  look: refused,
};

/** It has no version: stopping wins. */
export const secretDisabling: Form<Found, undefined> = {
  ...noValues,
  operation: 'disableClientSecret',
  find: getSecret,
  act: async (context) => {
    const { client, secret } = await getSecret(context);
    await context.management.disableClientSecret(client.clientId, secret.secretId);
    return { redirectTo: context.href(`/clients/${client.clientId}`, { done: 'secret-disabled' }) };
  },
  look: refused,
};

function consequences({ now }: RequestContext, client: Client, secret: ClientSecret): Html {
  const rest = client.secrets.filter(
    (one) => one.secretId !== secret.secretId && isUsable(one, now),
  );
  return html`
    <ul class="consequences">
      <li>
        ${
          isUsable(secret, now)
            ? 'Callers that use this secret get no new tokens, at once. To stop it for a while, disable it.'
            : secret.disabled === true
              ? 'It is disabled and does not work at present.'
              : 'It has expired and no longer works anyway.'
        }
      </li>
      <li>
        ${
          secret.lastUsedOn === undefined
            ? 'It was never used.'
            : html`
        <strong>It was last used ${formatDayDistance(secret.lastUsedOn, now)}</strong> (
        ${secret.lastUsedOn}).
      `
        }
      </li>
      <li>
        ${
          rest.length === 0
            ? html`<strong>No other secret of the client works</strong>: it then cannot get a token.`
            : `${rest.length} other ${rest.length === 1 ? 'secret of the client keeps' : 'secrets of the client keep'} working.`
        }
      </li>
      <li>It cannot be undone.</li>
    </ul>
  `;
}

export const secretDeletion: Form<Found, undefined> = {
  ...noValues,
  operation: 'deleteClientSecret',
  find: getSecret,
  version: versionOf,
  act: async (context, { ifVersion }) => {
    const { client, secret } = await getSecret(context);
    await context.management.deleteClientSecret(client.clientId, secret.secretId, { ifVersion });
    return { redirectTo: context.href(`/clients/${client.clientId}`, { done: 'secret-deleted' }) };
  },
  look: (context, { subject: { client, secret } }) => ({
    title: `Delete ${secretTitle(secret)}?`,
    section: 'clients',
    crumbs: clientCrumbs(context, client),
    lead: secret.secretId,
    submit: 'Delete secret',
    submitKind: 'danger',
    fields: consequences(context, client, secret),
  }),
};
