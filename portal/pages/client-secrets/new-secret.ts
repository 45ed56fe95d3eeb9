import type { Client } from '../../../adapters/management.ts';
import { maxNameLength } from '../../../contract/limits.ts';
import { parseExpiry, parseName } from '../../../core/management/input-fields.ts';
import type { Granted } from '../../access/granted.ts';
import {
  defaultExpiry,
  type ExpiryValues,
  readExpiry,
  readExpiryValues,
} from '../../forms/expiry.ts';
import { noProblems, type Problems, problemAt } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { findIfSentTwice } from '../../forms/sent-twice.ts';
import { submit } from '../../forms/submit.ts';
import { expiryField } from '../../html/expiry-field.ts';
import { hiddenField, textField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { createdSecretPage } from './created-secret.ts';

export const secretLabels = {
  name: 'Name',
  expiresAt: 'Expires',
  overlap: 'The old secrets expire',
};

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

/** Reads one field each, by the rules of the library. A name can be left out. */
export function secretChecks(
  { name, ...expiry }: ExpiryValues & { readonly name: string },
  now: number,
): readonly (() => unknown)[] {
  return [
    () => name.trim() === '' || parseName(name),
    () => parseExpiry(readExpiry(expiry, now) ?? undefined, now),
  ];
}

export function emptySecretValues(requestId: string, { maxSecretLifetime }: Granted): SecretValues {
  return { name: '', expiry: defaultExpiry(maxSecretLifetime), expiryDate: '', requestId };
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
  context: RequestContext,
  client: Pick<Client, 'clientId' | 'name'>,
  page: {
    readonly title: string;
    readonly lead: string;
    readonly problems: Problems;
    readonly body: Html;
  },
): Page {
  const { href } = context;
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

async function showForm(
  context: RequestContext,
  client: Client,
  values: SecretValues,
  problems: Problems,
): Promise<Page> {
  const { maxSecretLifetime: maxLifetime } = await context.granted(client.serviceTrunkGroup);
  const address = `/clients/${client.clientId}`;
  const form = postForm(
    {
      action: context.href(`${address}/secrets`),
      problems,
      labels: secretLabels,
      submit: 'Create secret',
      cancel: context.href(address),
    },
    [
      hiddenField('requestId', values.requestId),
      secretNameField(values.name, problems),
      expiryField({ label: 'Expires', values, problems, maxLifetime }),
    ],
  );
  return secretPage(context, client, {
    title: 'New secret',
    lead: 'The other secrets of the client stay as they are.',
    problems,
    body: form,
  });
}

export const newSecret: Handler = async (context) => {
  context.require('createClientSecret');
  const client = await context.management.findClient(context.id('clientId'));
  const granted = await context.granted(client.serviceTrunkGroup);
  return showForm(context, client, emptySecretValues(context.newRequestId(), granted), noProblems);
};

export const createSecret: Handler = async (context) => {
  const { management, form, now } = context;
  const client = await management.findClient(context.id('clientId'));
  const values = readSecretValues(form);
  return submit(
    async () => {
      requireFields(form, {}, secretChecks(values, now));
      const created = await findIfSentTwice(values.requestId, () =>
        management.createClientSecret(client.clientId, {
          name: values.name.trim() || undefined,
          expiresAt: readExpiry(values, now) ?? undefined,
          idempotencyKey: values.requestId || undefined,
        }),
      );
      return createdSecretPage(context, { client, ...created });
    },
    (problems) => showForm(context, client, values, problems),
  );
};
