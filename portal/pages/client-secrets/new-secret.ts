import type { Client } from '../../../adapters/management.ts';
import { maxNameLength } from '../../../contract/limits.ts';
import { fieldLabels } from '../../../contract/management/field-words.ts';
import type { Granted } from '../../access/granted.ts';
import {
  defaultExpiry,
  type ExpiryValues,
  readExpiry,
  readExpiryValues,
} from '../../forms/expiry.ts';
import type { Form, InputOf } from '../../forms/form.ts';
import { type Problems, problemAt } from '../../forms/problems.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { textField } from '../../html/field.ts';
import type { Html } from '../../html/html.ts';
import { clientCrumbs, getClient } from '../clients/stop-client.ts';
import { createdSecretPage } from './created-secret.ts';

export const secretLabels = fieldLabels('name', 'expiresAt', 'overlap');

export interface SecretValues extends ExpiryValues {
  readonly name: string;
}

export function readSecretValues(form: Parameters<typeof readExpiryValues>[0]): SecretValues {
  return { ...readExpiryValues(form), name: form.text('name') };
}

/** What a new secret, or a changed one, is given. A name can be left out. */
export function secretInput({ name, ...expiry }: SecretValues, now: number) {
  return {
    name: name.trim() || undefined,
    expiresAt: () => readExpiry(expiry, now) ?? undefined,
  };
}

export function emptySecretValues({ maxSecretLifetime }: Granted): SecretValues {
  return { name: '', expiry: defaultExpiry(maxSecretLifetime), expiryDate: '' };
}

export function secretNameField(value: string, problems: Problems): Html {
  return textField({
    name: 'name',
    label: 'Name (optional)',
    hint: 'Where it is used, e.g. “billing server 2”. It helps to tell secrets apart when one must be deleted.',
    value,
    maxLength: maxNameLength,
    error: problemAt(problems, 'name'),
  });
}

export const secretCreation: Form<Client, SecretValues, InputOf<'createClientSecret'>> = {
  operation: 'createClientSecret',
  creates: true,
  find: getClient,
  start: async ({ granted }, client) => emptySecretValues(await granted(client.serviceTrunkGroup)),
  read: readSecretValues,
  input: (values, { now }) => secretInput(values, now),
  act: async (context, { input, idempotencyKey }) => {
    const client = await getClient(context);
    const secret = { ...input, idempotencyKey };
    const created = await context.management.createClientSecret(client.clientId, secret);
    return createdSecretPage(context, { client, ...created });
  },
  look: async (context, { subject: client, values, problems }) => {
    const { maxSecretLifetime: maxLifetime } = await context.granted(client.serviceTrunkGroup);
    return {
      title: 'New secret',
      section: 'clients',
      crumbs: clientCrumbs(context, client),
      lead: 'The other secrets of the client stay as they are.',
      labels: secretLabels,
      submit: 'Create secret',
      fields: [
        secretNameField(values.name, problems),
        expiryField({ label: 'Expires', values, problems, maxLifetime }),
      ],
    };
  },
};
