import type { Client } from '../../../adapters/management.ts';
import {
  type ClientValues,
  clientChecks,
  readClientValues,
  toClientChanges,
  valuesOfClient,
} from '../../forms/client-form.ts';
import type { Form } from '../../forms/form.ts';
import { changeableFields, clientLabels } from './client-fields.ts';
import { clientCrumbs, findClient } from './stop-client.ts';

export const clientEdit: Form<Client, ClientValues> = {
  operation: 'updateClient',
  find: findClient,
  version: ({ version }) => version,
  start: (_, client) => valuesOfClient(client),
  read: readClientValues,
  check: (values, { deployment }) => ({
    required: { name: 'Give the client a name.', scopes: 'Choose one scope or more.' },
    readers: clientChecks(values, deployment),
  }),
  act: async ({ management, href, id }, { values, ifVersion }) => {
    const { clientId } = await management.updateClient(id('clientId'), {
      ...toClientChanges(values),
      ifVersion,
    });
    return { redirectTo: href(`/clients/${clientId}`, { done: 'saved' }) };
  },
  look: async (context, { subject: client, values, problems, isConflict }) => ({
    title: `Edit ${client.name}`,
    section: 'clients',
    crumbs: clientCrumbs(context, client),
    lead: 'Issued tokens keep their claims until they expire.',
    labels: clientLabels,
    submit: 'Save',
    fields: changeableFields(context, {
      values,
      problems,
      granted: await context.granted(client.serviceTrunkGroup),
      present: client.scopes,
      stored: isConflict ? client : undefined,
      isUnderProvider: client.provider !== undefined,
    }),
  }),
};
