import type { Client } from '../../../adapters/management.ts';
import { clientWords } from '../../../contract/management/field-words.ts';
import {
  type ClientValues,
  changedFields,
  clientInput,
  requiredChanges,
  valuesOfClient,
} from '../../forms/client-form.ts';
import { type Form, type InputOf, ownVersion, type Readers } from '../../forms/form.ts';
import { readValues } from '../../forms/worded-fields.ts';
import { changeableFields, clientLabels } from './client-fields.ts';
import { getClient, ofClient } from './stop-client.ts';

type ClientChanges = InputOf<'updateClient'>;

export const clientEdit: Form<Client, ClientValues, ClientChanges> = {
  operation: 'updateClient',
  find: getClient,
  version: ownVersion,
  start: (_, client) => valuesOfClient(client),
  read: (form) => readValues(clientWords, form),
  required: requiredChanges,
  input: (values, context) => clientInput(values, context, changedFields) as Readers<ClientChanges>,
  act: async ({ management, href, id }, { input, ifVersion }) => {
    const { clientId } = await management.updateClient(id('clientId'), { ...input, ifVersion });
    return { redirectTo: href(`/clients/${clientId}`, { done: 'saved' }) };
  },
  look: async (context, { subject: client, values, problems, isConflict }) => ({
    title: `Edit ${client.name}`,
    ...ofClient(context, client),
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
