import type { Client } from '../../../adapters/management.ts';
import {
  type ClientValues,
  clientChecks,
  readClientValues,
  toClientChanges,
  valuesOfClient,
} from '../../forms/client-form.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { changeableFields, clientLabels } from './client-fields.ts';

interface Editing {
  readonly client: Client;
  readonly values: ClientValues;
  readonly version: number;
  readonly problems: Problems;
}

async function showForm(
  context: RequestContext,
  { client, values, version, problems }: Editing,
): Promise<Page> {
  const granted = await context.granted(client.serviceTrunkGroup);
  const present = client.scopes;
  const address = context.href(`/clients/${client.clientId}`);
  const isConflict = problems.status === 409;
  const form = postForm(
    { action: address, problems, labels: clientLabels, submit: 'Save', cancel: address },
    [
      hiddenField('ifVersion', isConflict ? client.version : version),
      changeableFields(context, {
        values,
        problems,
        granted,
        present,
        stored: isConflict ? client : undefined,
      }),
    ],
  );
  return {
    status: problems.status,
    title: `Edit ${client.name}`,
    section: 'clients',
    body: html`${pageHeader({
      title: `Edit ${client.name}`,
      crumbs: [
        { text: 'Clients', href: context.href('/clients') },
        { text: client.name, href: address },
      ],
      lead: 'Issued tokens keep their claims until they expire.',
    })}${form}`,
  };
}

export const editClient: Handler = async (context) => {
  context.require('updateClient');
  const client = await context.management.findClient(context.id('clientId'));
  const values = valuesOfClient(client);
  return showForm(context, { client, values, version: client.version, problems: noProblems });
};

export const updateClient: Handler = async (context) => {
  const { form, management, href } = context;
  const clientId = context.id('clientId');
  const values = readClientValues(form);
  const version = readVersion(form);
  return submit(
    async () => {
      const required = { name: 'Give the client a name.', scopes: 'Choose one scope or more.' };
      requireFields(form, required, clientChecks(values, context.deployment));
      await management.updateClient(clientId, { ...toClientChanges(values), ifVersion: version });
      return { redirectTo: href(`/clients/${clientId}`, { done: 'saved' }) };
    },
    async (problems) => {
      const client = await management.findClient(clientId);
      return showForm(context, { client, values, version, problems });
    },
  );
};
