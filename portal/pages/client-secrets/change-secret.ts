import type { Client, ClientSecret } from '../../../adapters/management.ts';
import { isUsable } from '../../../core/client/client.ts';
import { clientPath } from '../../client-path.ts';
import { expiryField, readExpiry, readExpiryValues } from '../../forms/expiry.ts';
import { type Form, type InputOf, noValues } from '../../forms/form.ts';
import { type Html, html } from '../../html/html.ts';
import { consequences } from '../../html/parts.ts';
import { formatDayDistance } from '../../html/time.ts';
import { HttpError } from '../../http-error.ts';
import type { Redirect, RequestContext } from '../../request-context.ts';
import { getClient, ofClient, refusedPage } from '../clients/one-client.ts';
import { isKey, secretTitle } from '../clients/secret-table.ts';
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

const versionOf = ({ client }: Found) => client.version;

/** Changes the secret of the path, and goes back to its client. */
async function change(
  { href, id }: RequestContext,
  done: string,
  act: (clientId: string, secretId: string) => Promise<unknown>,
): Promise<Redirect> {
  const clientId = id('clientId');
  await act(clientId, id('secretId'));
  return { redirectTo: href(clientPath(clientId), { done }) };
}

export const secretEdit: Form<Found, SecretValues, InputOf<'updateClientSecret'>> = {
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
  act: (context, { input, ifVersion }) =>
    change(context, 'saved', (...ids) =>
      context.management.updateClientSecret(...ids, { ...input, ifVersion }),
    ),
  look: async (context, { subject: { client, secret }, values, problems }) => {
    const { maxSecretLifetime: maxLifetime } = await context.limitsOf(client.serviceTrunkGroup);
    return {
      title: `Edit ${secretTitle(secret)}`,
      ...ofClient(context, client),
      lead: 'Its value stays the same.',
      labels: secretLabels,
      submit: 'Save',
      fields: [
        secretNameField(values.name, problems),
        expiryField({ label: 'Expires', values, problems, present: secret, maxLifetime }),
      ],
    };
  },
};

const enabledForm = (enabled: boolean): Form<Found, undefined> => ({
  ...noValues,
  operation: enabled ? 'enableClientSecret' : 'disableClientSecret',
  find: getSecret,
  // Stopping wins: a version that is out of date does not hold it up.
  version: enabled ? versionOf : undefined,
  act: (context, { ifVersion }) => {
    const { enableClientSecret, disableClientSecret } = context.management;
    return enabled
      ? change(context, 'secret-enabled', (...ids) => enableClientSecret(...ids, { ifVersion }))
      : change(context, 'secret-disabled', disableClientSecret);
  },
  look: (context, { subject, problems }) => refusedPage(context, subject.client, problems),
});

export const secretEnabling = enabledForm(true);
export const secretDisabling = enabledForm(false);

function deletionText({ now }: RequestContext, { secrets }: Client, secret: ClientSecret): Html {
  const { secretId, enabled, lastUsedOn } = secret;
  const rest = secrets.filter((one) => one.secretId !== secretId && isUsable(one, now));
  const used = `It was last used ${formatDayDistance(lastUsedOn ?? '', now)}`;
  return consequences(
    isUsable(secret, now)
      ? 'Callers that use it get no new tokens, at once. To stop it for a while, disable it.'
      : !enabled
        ? 'It is disabled and does not work at present.'
        : 'It has expired and no longer works anyway.',
    lastUsedOn === undefined
      ? 'It was never used.'
      : html`<strong>${used}</strong> (${lastUsedOn}).`,
    rest.length === 0
      ? html`<strong>Nothing else of the client works</strong>: it then cannot get a token.`
      : rest.length === 1
        ? 'Another one of the client keeps working.'
        : `${rest.length} others of the client keep working.`,
    'It cannot be undone.',
  );
}

export const secretDeletion: Form<Found, undefined> = {
  ...noValues,
  operation: 'deleteClientSecret',
  find: getSecret,
  version: versionOf,
  act: (context, { ifVersion }) =>
    change(context, 'secret-deleted', (...ids) =>
      context.management.deleteClientSecret(...ids, { ifVersion }),
    ),
  look: (context, { subject: { client, secret } }) => ({
    title: `Delete ${secretTitle(secret)}?`,
    ...ofClient(context, client),
    lead: secret.secretId,
    submit: `Delete ${isKey(secret) ? 'key' : 'secret'}`,
    submitKind: 'danger',
    fields: deletionText(context, client, secret),
  }),
};
