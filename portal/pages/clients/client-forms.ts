import type { Client, IdentityProvider } from '../../../adapters/management.ts';
import { maxServiceTrunkGroupLength } from '../../../contract/bounds.ts';
import {
  clientFields,
  clientWords,
  fieldLabel,
  fieldLabels,
} from '../../../contract/management/field-words.ts';
import { type ClientField, plainClientFields } from '../../../contract/management/inputs.ts';
import { formatDuration } from '../../../core/duration.ts';
import type { Limits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { offeredScopes } from '../../access/offer.ts';
import { clientPath } from '../../client-path.ts';
import { type Form, type InputOf, Instead, ownVersion, type Readers } from '../../forms/form.ts';
import { noProblems, type Problems, problemAt, unlessDenied } from '../../forms/problems.ts';
import {
  type FieldValues,
  inputOf,
  readValues,
  requiredOf,
  valuesOf,
  wordedField,
} from '../../forms/worded-fields.ts';
import { fixedField, hiddenField, type Option, selectField, textField } from '../../html/field.ts';
import type { Labels } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { scopeMatrix } from '../../html/scope-matrix.ts';
import type { RequestContext } from '../../request-context.ts';
import { chooseTrunkGroup, nothingPage, quotaLimit, readQuota } from '../choose-trunk-group.ts';
import { getClient, ofClient } from './one-client.ts';

/** The content of a client's form, as entered. */
type ClientValues = FieldValues<ClientField>;

function valuesOfClient({ provider, ...client }: Partial<Client>): ClientValues {
  return valuesOf(clientWords, {
    ...client,
    provider: provider?.issuer,
    externalClientId: provider?.externalClientId,
  });
}

/** The fields that can change later, and those of a new client. */
const changedFields = ['name', 'scopes', 'audiences', ...plainClientFields] as const;
type ChangedField = (typeof changedFields)[number];
const requiredChanges = requiredOf(clientWords, changedFields);
const requiredFields = requiredOf(clientWords);

/** As the library takes them. A provider sets the lifetime of its own tokens. */
function clientInput(
  values: ClientValues,
  { deployment: { acceptsAssertions } }: Pick<RequestContext, 'deployment'>,
  ...change: readonly [names?: readonly ClientField[], removed?: null]
) {
  const isOurs = values.provider.text === '' || acceptsAssertions === true;
  return {
    ...inputOf(clientWords, values, ...change),
    ...(!isOurs && { tokenLifetime: () => undefined }),
  };
}

const clientLabels: Labels = fieldLabels(...clientFields);

export function nameField(value: string, problems: Problems, stored?: string): Html {
  return wordedField(
    clientWords,
    'name',
    { text: value, items: [], isOn: true },
    { problems, stored },
  );
}

/** Whether the form has a text field for the trunk group. */
const typesTrunkGroup = 'typesTrunkGroup';

/**
 * The trunk group cannot be changed later. It is typed only by a person who could not choose it
 * before: see `chooseTrunkGroup`.
 */
export function trunkGroupField(
  { person, form, href }: RequestContext,
  value: string,
  problems: Problems,
): Html {
  const field = {
    name: 'serviceTrunkGroup',
    label: fieldLabel('serviceTrunkGroup'),
    hint: clientWords.serviceTrunkGroup.hint,
    value,
    error: problemAt(problems, 'serviceTrunkGroup'),
  };
  const isTyped =
    person.trunkGroups === undefined &&
    (value === '' || form.isOn(typesTrunkGroup) || field.error !== undefined);
  if (!isTyped) {
    return fixedField(field, html` <a href="${href(`/trunk-groups/${value}`)}">Its limits</a>`);
  }
  return html`${hiddenField(typesTrunkGroup, 1)}${textField({
    ...field,
    required: true,
    maxLength: maxServiceTrunkGroupLength,
    width: 'short',
  })}`;
}

interface ChangeableFields {
  readonly values: ClientValues;
  readonly problems: Problems;
  readonly limits: Limits;
  /** The scopes that the client has. */
  readonly present?: readonly string[] | undefined;
  /** The stored values, after a conflict. */
  readonly stored?: Client | undefined;
  /** Whether its provider sets the lifetime of its tokens, other than those for an assertion. */
  readonly isUnderProvider: boolean;
}

/** How long a token of it may be valid, as this service issues it. */
function lifetimeHint(
  { deployment }: RequestContext,
  { limits: { maxTokenLifetime = Infinity }, isUnderProvider }: ChangeableFields,
) {
  const { minimum, maximum, default: usual } = deployment.tokenLifetime;
  const most = Math.min(maximum, maxTokenLifetime);
  const which = isUnderProvider
    ? 'Of a token that the client gets here. Its provider sets that of its own tokens. '
    : '';
  const empty = usual > most ? '' : ` Leave it empty for ${formatDuration(usual)}.`;
  return `${which}${formatDuration(minimum)} to ${formatDuration(most)}, e.g. 15m or 1h.${empty} ${clientWords.tokenLifetime.hint}`;
}

/** The fields of a client that can change later. */
function changeableFields(context: RequestContext, fields: ChangeableFields): Html {
  const { deployment } = context;
  const { values, problems, limits, present = [], stored, isUnderProvider } = fields;
  const scopes = offeredScopes(deployment.scopes, limits, present);
  const chosen = values.scopes.items;
  const scopesNow =
    stored !== undefined && stored.scopes.join(' ') !== chosen.join(' ')
      ? html`<p class="note">Scopes stored now: ${stored.scopes.join(', ')}.</p>`
      : '';
  const show = (name: ChangedField, more: { hint?: string } = {}) =>
    wordedField(clientWords, name, values[name], { problems, stored: stored?.[name], ...more });
  const lifetime = { hint: lifetimeHint(context, fields) };
  const isOurs = !isUnderProvider || deployment.acceptsAssertions === true;
  const plain = plainClientFields.filter((name) => name !== 'tokenLifetime' || isOurs);
  return html`${show('name')}${plain.map((name) => show(name, name === 'tokenLifetime' ? lifetime : {}))}${scopeMatrix(
    scopes,
    chosen,
    problemAt(problems, 'scopes'),
  )}${scopesNow}${show('audiences', {
    hint: `The APIs that a token is for, one on each line. Leave it empty for ${deployment.defaultAudience}.`,
  })}`;
}

/** Who authenticates the client: this service, or a registered provider. */
function providerFields(
  { person }: Pick<RequestContext, 'person'>,
  issuers: readonly string[] | undefined,
  values: ClientValues,
  problems: Problems,
): Html {
  if (issuers?.length === 0) return html``;
  const field = {
    name: 'provider',
    label: fieldLabel('provider'),
    hint: clientWords.provider.hint,
    value: values.provider.text,
    error: problemAt(problems, 'provider'),
  };
  const show = (name: ClientField) => wordedField(clientWords, name, values[name], { problems });
  const options = issuers?.map((issuer): Option => [issuer, issuer]);
  return html`${
    options === undefined
      ? textField({ ...field, type: 'url', placeholder: 'This service' })
      : selectField({ ...field, options: [['', 'This service'], ...options] })
  }<div class="field"><button class="button button-plain" type="submit" name="choose" value="1" formnovalidate>
      Show its fields
    </button></div>${
      values.provider.text !== '' && [
        show('externalClientId'),
        show('requiredClaims'),
        show('allowUserTokens'),
        // Only the staff may create a client inside the grant of another trunk group.
        person.trunkGroups === undefined && show('allowOtherGrant'),
      ]
    }`;
}

/** The registered providers; undefined if the AWS identity may not list them. Asked before the limits. */
const findProviders = ({ listProviders }: RequestContext, group: string) =>
  unlessDenied(listProviders([group]));

/** A person with every group types the group later. Management decides. */
function isOpenTo(group: string, { issuer, owner }: IdentityProvider, limits: Limits): boolean {
  const own = owner?.trunkGroups ?? [];
  if (own.length > 0) return group === '' || own.includes(group);
  return limits.providers?.includes(issuer) ?? true;
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
  const limits = await context.limitsOf(group);
  const { maxTokenLifetime = Infinity } = limits;
  if (quotaLimit('clients', limits) === 0) {
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
    return { redirectTo: href(clientPath(client.clientId), { done }) };
  },
  look: async (context, { values, problems }) => {
    const group = values.serviceTrunkGroup.text.trim();
    const providers = await findProviders(context, group);
    const limits = await context.limitsOf(group);
    const quota = await readQuota(context, { kind: 'clients', group, limits });
    if (quota?.isUsedUp === true && problems === noProblems) return quota.page;
    const open = providers
      ?.filter((provider) => isOpenTo(group, provider, limits))
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
        { values, problems, limits, isUnderProvider: values.provider.text !== '' },
      )}${providerFields(context, open, values, problems)}`,
    };
  },
};

type ClientChanges = InputOf<'updateClient'>;

export const clientEdit: Form<Client, ClientValues, ClientChanges> = {
  operation: 'updateClient',
  find: getClient,
  version: ownVersion,
  start: (_, client) => valuesOfClient(client),
  read: (form) => readValues(clientWords, form),
  required: requiredChanges,
  input: (values, context) =>
    clientInput(values, context, changedFields, null) as Readers<ClientChanges>,
  act: async ({ management, href, id }, { input, ifVersion }) => {
    const { clientId } = await management.updateClient(id('clientId'), { ...input, ifVersion });
    return { redirectTo: href(clientPath(clientId), { done: 'saved' }) };
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
      limits: await context.limitsOf(client.serviceTrunkGroup),
      present: client.scopes,
      stored: isConflict ? client : undefined,
      isUnderProvider: client.provider !== undefined,
    }),
  }),
};
