import type { Client } from '../../../adapters/management.ts';
import {
  type ClientValues,
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
import type { Handler, Page, Visit } from '../../visit.ts';
import { changeableFields, clientLabels } from './client-fields.ts';

interface Editing {
  readonly client: Client;
  readonly values: ClientValues;
  readonly version: number;
  readonly problems: Problems;
}

function showForm(visit: Visit, { client, values, version, problems }: Editing): Page {
  const address = visit.href(`/clients/${client.clientId}`);
  const isConflict = problems.status === 409;
  const form = postForm(
    { action: address, problems, labels: clientLabels, submit: 'Save', cancel: address },
    [
      hiddenField('ifVersion', isConflict ? client.version : version),
      changeableFields(visit, values, problems, isConflict ? client : undefined),
    ],
  );
  return {
    status: problems.status,
    title: `Edit ${client.name}`,
    section: 'clients',
    body: html`${pageHeader({
      title: `Edit ${client.name}`,
      crumbs: [
        { text: 'Clients', href: visit.href('/clients') },
        { text: client.name, href: address },
      ],
      lead: 'Issued tokens keep their claims until they expire.',
    })}${form}`,
  };
}

export const editClient: Handler = async (visit) => {
  visit.require('updateClient');
  const client = await visit.management.findClient(visit.id('clientId'));
  const values = valuesOfClient(client);
  return showForm(visit, { client, values, version: client.version, problems: noProblems });
};

export const updateClient: Handler = async (visit) => {
  const { form, management, href } = visit;
  const clientId = visit.id('clientId');
  const values = readClientValues(form);
  const version = readVersion(form);
  return submit(
    async () => {
      requireFields(form, { name: 'Give the client a name.', scopes: 'Choose one scope or more.' });
      await management.updateClient(clientId, { ...toClientChanges(values), ifVersion: version });
      return { redirectTo: href(`/clients/${clientId}`, { done: 'saved' }) };
    },
    async (problems) => {
      const client = await management.findClient(clientId);
      return showForm(visit, { client, values, version, problems });
    },
  );
};
