import type { Client } from '../../../adapters/management.ts';
import { maxNameLength } from '../../../contract/limits.ts';
import { type ExpiryValues, readExpiry, readExpiryValues } from '../../forms/expiry.ts';
import { noProblems, type Problems, problemAt } from '../../forms/problems.ts';
import { submit } from '../../forms/submit.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { hiddenField, textField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import type { Handler, Page, Visit } from '../../visit.ts';
import { createdSecretPage } from './created-secret.ts';

export const secretLabels = { name: 'Name', expiresAt: 'Ends', overlap: 'The old secrets end' };

export interface SecretValues extends ExpiryValues {
  readonly name: string;
  readonly requestId: string;
}

export function readSecretValues(form: Parameters<typeof readExpiryValues>[0]): SecretValues {
  return {
    ...readExpiryValues(form),
    name: form.text('name'),
    requestId: form.text('requestId'),
  };
}

export function emptySecretValues(requestId: string): SecretValues {
  return { name: '', expiry: 'never', expiryDate: '', requestId };
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

/** A page about the secrets of one client. */
export function secretPage(
  visit: Visit,
  client: Pick<Client, 'clientId' | 'name'>,
  page: {
    readonly title: string;
    readonly lead: string;
    readonly problems: Problems;
    readonly body: Html;
  },
): Page {
  const { href } = visit;
  return {
    status: page.problems.status,
    title: page.title,
    section: 'clients',
    body: html`${pageHeader({
      title: page.title,
      crumbs: [
        { text: 'Clients', href: href('/clients') },
        { text: client.name, href: href(`/clients/${client.clientId}`) },
      ],
      lead: page.lead,
    })}${page.body}`,
  };
}

function showForm(visit: Visit, client: Client, values: SecretValues, problems: Problems): Page {
  const address = `/clients/${client.clientId}`;
  const form = postForm(
    {
      action: visit.href(`${address}/secrets`),
      problems,
      labels: secretLabels,
      submit: 'Create secret',
      cancel: visit.href(address),
    },
    [
      hiddenField('requestId', values.requestId),
      secretNameField(values.name, problems),
      expiryField('Ends', values, problems),
    ],
  );
  return secretPage(visit, client, {
    title: 'New secret',
    lead: 'The other secrets of the client stay as they are.',
    problems,
    body: form,
  });
}

export const newSecret: Handler = async (visit) => {
  visit.require('createClientSecret');
  const client = await visit.management.findClient(visit.id('clientId'));
  return showForm(visit, client, emptySecretValues(visit.newRequestId()), noProblems);
};

export const createSecret: Handler = async (visit) => {
  const { management, form, now } = visit;
  const client = await management.findClient(visit.id('clientId'));
  const values = readSecretValues(form);
  return submit(
    async () => {
      const created = await management.createClientSecret(client.clientId, {
        name: values.name.trim() || undefined,
        expiresAt: readExpiry(values, now) ?? undefined,
        idempotencyKey: values.requestId || undefined,
      });
      return createdSecretPage(visit, { client, ...created });
    },
    (problems) => showForm(visit, client, values, problems),
  );
};
