import type { IdentityProvider } from '../../../adapters/management.ts';
import { clientWords } from '../../../contract/management/field-words.ts';
import type { Granted } from '../../access/granted.ts';
import {
  type ClientValues,
  clientInput,
  requiredFields,
  valuesOfClient,
} from '../../forms/client-form.ts';
import { type Form, type InputOf, Instead, type Readers } from '../../forms/form.ts';
import { noProblems, unlessDenied } from '../../forms/problems.ts';
import { readValues } from '../../forms/worded-fields.ts';
import { html } from '../../html/html.ts';
import type { RequestContext } from '../../request-context.ts';
import { chooseTrunkGroup, nothingPage } from '../choose-trunk-group.ts';
import { quotaLimit, readQuota } from '../quota.ts';
import {
  changeableFields,
  clientLabels,
  providerFields,
  trunkGroupField,
} from './client-fields.ts';

/** The registered providers; undefined if the AWS identity may not list them. Asked before `granted`. */
const findProviders = ({ listProviders }: RequestContext, group: string) =>
  unlessDenied(listProviders([group]));

/** A person with every group types the group later. Management decides. */
function isOpenTo(group: string, { issuer, owner }: IdentityProvider, granted: Granted): boolean {
  const own = owner?.trunkGroups ?? [];
  if (own.length > 0) return group === '' || own.includes(group);
  return granted.providers?.includes(issuer) ?? true;
}

interface NewClientValues extends ClientValues {
  /** Whether the button for the provider was pressed: its fields are shown, and nothing is created. */
  readonly isChoosing: boolean;
}

/** The content of a new form, unless another page comes first. */
async function startClient(context: RequestContext): Promise<NewClientValues | Instead> {
  const { query, deployment } = context;
  const provider = query.text('provider');
  const creation = {
    title: 'New client',
    section: 'clients',
    path: '/clients/new',
    query: { provider: provider || undefined },
  } as const;
  const group = await chooseTrunkGroup(context, creation);
  if (typeof group !== 'string') return new Instead(group);
  // The providers are asked for first: their answer has the limits too.
  await findProviders(context, group);
  const granted = await context.granted(group);
  const { maxTokenLifetime = Infinity } = granted;
  if (quotaLimit('clients', granted) === 0) {
    return new Instead(
      nothingPage(creation, {
        title: `No clients are allowed in ${group}`,
        text: 'Ask the person who manages the portal.',
      }),
    );
  }
  const tokenLifetime = Math.min(deployment.tokenLifetime.default, maxTokenLifetime);
  const values = valuesOfClient({ tokenLifetime, serviceTrunkGroup: group });
  const field = { text: provider, items: [], isOn: true };
  return { ...values, provider: field, isChoosing: false };
}

type NewClient = InputOf<'createClient'>;

export const clientCreation: Form<undefined, NewClientValues, NewClient> = {
  operation: 'createClient',
  creates: true,
  find: async () => undefined,
  start: startClient,
  read: (form) => ({ ...readValues(clientWords, form), isChoosing: form.isOn('choose') }),
  required: requiredFields,
  input: (values, context) => clientInput(values, context) as Readers<NewClient>,
  act: async ({ management, href }, { values, input, idempotencyKey, showAgain }) => {
    if (values.isChoosing) return showAgain();
    const { client, existed } = await management.createClient({ ...input, idempotencyKey });
    const created = client.provider === undefined ? 'client-created' : 'provider-client-created';
    const done = existed ? 'client-existed' : created;
    return { redirectTo: href(`/clients/${client.clientId}`, { done }) };
  },
  look: async (context, { values, problems }) => {
    const group = values.serviceTrunkGroup.text.trim();
    const providers = await findProviders(context, group);
    const granted = await context.granted(group);
    const quota = await readQuota(context, { kind: 'clients', group, limits: granted });
    if (quota?.isUsedUp === true && problems === noProblems) return quota.page;
    const open = providers
      ?.filter((provider) => isOpenTo(group, provider, granted))
      .map(({ issuer }) => issuer);
    return {
      title: 'New client',
      section: 'clients',
      crumbs: [],
      lead:
        values.provider.text === ''
          ? 'A program that requests access tokens. You create its secret in the next step.'
          : 'A program that gets its tokens from its provider. It has no secret here.',
      labels: clientLabels,
      submit: 'Create client',
      hasOtherButtons: true,
      fields: html`${quota?.note}${trunkGroupField(context, values.serviceTrunkGroup.text, problems)}${changeableFields(
        context,
        { values, problems, granted, isUnderProvider: values.provider.text !== '' },
      )}${providerFields(context, open, values, problems)}`,
    };
  },
};
