import { type Client, InputError } from '../../../adapters/management.ts';
import { subjectOf } from '../../../core/client/provider-client-id.ts';
import { type GrantList, subjectsOverlap, valueOf } from '../../../core/identity-provider/grant.ts';
import { type Form, type FormPage, ownVersion, type Shown } from '../../forms/form.ts';
import { type Fields, FormError, problemAt, typedField } from '../../forms/problems.ts';
import { hiddenField, selectField, textArea, textField } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import { type Crumb, code, consequences } from '../../html/parts.ts';
import { HttpError } from '../../http-error.ts';
import type { RequestContext } from '../../request-context.ts';
import { joinPages } from '../join-pages.ts';
import { readGroups } from './provider-groups.ts';
import { ofProvider } from './provider-pages.ts';

const section = 'identity-providers';

type GrantValues = Readonly<ReturnType<typeof readGrant>>;

type GrantInput = Pick<GrantValues, 'value' | 'trunkGroups'>;

type Management = RequestContext['management'];
type Given = Parameters<Management['setSubjectGrant']>[1];
type Decided = NonNullable<Given['clients']>[number]['action'];

const issuerOf = ({ form, query }: RequestContext) => form.text('issuer') || query.text('issuer');

/** Grants are the staff's. To a person with trunk groups, these pages do not exist. */
function requireStaff({ person }: RequestContext): void {
  if (person.trunkGroups !== undefined) throw new HttpError(404);
}

async function findSubjects(context: RequestContext): Promise<GrantList> {
  requireStaff(context);
  return context.management.findSubjectGrants(issuerOf(context));
}

/** What cannot be an issuer is typed again. */
async function findIssuers(context: RequestContext): Promise<GrantList> {
  requireStaff(context);
  try {
    return await context.management.findIssuerGrants(issuerOf(context));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind: 'issuer', place: '', grants: [], version: 0 };
  }
}

const actionField = 'client:';

function readGrant(form: Fields) {
  const ofClients = form.entries().filter(([name]) => name.startsWith(actionField));
  return {
    /** A client id or a prefix; of a granted issuer empty. */
    value: form.text('value').trim(),
    trunkGroups: readGroups(form.all('trunkGroups')),
    /** Issuers that other trunk groups keep. */
    leave: readGroups(form.all('leave')),
    /** By client id, what becomes of a client of another trunk group. */
    actions: new Map(ofClients.map(([name, action]) => [name.slice(actionField.length), action])),
  };
}

const groupsOf = ({ grants }: GrantList, value: string) =>
  grants.find((one) => one.value === value)?.trunkGroups;

/** A form for a new grant must not replace the trunk groups of one that exists. */
function requireNew(context: RequestContext, list: GrantList, field: string, value: string): void {
  const groups = groupsOf(list, value);
  if (groups === undefined || context.form.isOn('exists')) return;
  const message = `Received “${value}”, which is granted to ${groups.join(', ')}. Change that grant.`;
  throw new FormError([{ field, message }]);
}

const labels = {
  issuer: 'Issuer',
  value: 'Client id at the provider',
  trunkGroups: 'Trunk groups',
  leave: 'Issuers that other trunk groups keep',
};

const required = { trunkGroups: 'Received nothing; allowed: one trunk group or more.' };

type ShownGrant = Shown<GrantList, GrantValues>;

function groupsField(shown: ShownGrant, stored: readonly string[] = []): Html {
  const { values, problems, isConflict } = shown;
  const now = isConflict ? ` Stored now: ${stored.join(', ') || 'none'}.` : '';
  return textArea({
    name: 'trunkGroups',
    label: labels.trunkGroups,
    hint: `All that have it, one on each line.${now}`,
    value: values.trunkGroups.join('\n'),
    rows: 3,
    error: problemAt(problems, 'trunkGroups'),
  });
}

/** Reads of the clients of a provider, each of 500. */
const maxReads = 20;

/** Clients of other trunk groups whose ids a grant has, each with what becomes of it. */
async function otherClients(
  { management }: RequestContext,
  issuer: string,
  { value, trunkGroups, actions }: GrantValues,
): Promise<Html> {
  const { items } = await joinPages<Client>(
    (cursor) => management.listClients({ provider: issuer, cursor }),
    maxReads,
  );
  const others = items.filter(
    ({ provider, serviceTrunkGroup }) =>
      provider !== undefined &&
      !trunkGroups.includes(serviceTrunkGroup) &&
      subjectsOverlap(value, valueOf(subjectOf(provider))),
  );
  return html`${others.map(({ clientId, name, serviceTrunkGroup, provider }) =>
    selectField({
      name: actionField + clientId,
      label: `${name} of ${serviceTrunkGroup}`,
      hint: html`${code(clientId)}, as ${code(provider === undefined ? '' : subjectOf(provider))}`,
      value: actions.get(clientId) ?? '',
      options: [
        ['', 'Choose what becomes of it'],
        ['disable', 'Disable it'],
        ['delete', 'Delete it'],
        ['leave', 'Leave it as it is'],
      ],
    }),
  )}`;
}

/** Client ids at a provider for trunk groups. */
export const subjectGrant: Form<GrantList, GrantValues, GrantInput> = {
  operation: 'setSubjectGrant',
  find: findSubjects,
  version: ownVersion,
  start: ({ query }, list) => {
    const value = query.text('value');
    return { value, trunkGroups: groupsOf(list, value) ?? [], leave: [], actions: new Map() };
  },
  read: readGrant,
  required: { ...required, value: 'Received nothing; allowed: a client id, or a prefix of them.' },
  input: ({ value, trunkGroups }) => ({ value, trunkGroups }),
  act: async (context, { values, input, ifVersion }) => {
    const issuer = issuerOf(context);
    requireNew(context, await findSubjects(context), 'value', values.value);
    const clients = [...values.actions]
      .filter(([, action]) => action !== '')
      .map(([clientId, action]) => ({ clientId, action: action as Decided }));
    await context.management.setSubjectGrant(issuer, { ...input, clients, ifVersion });
    const done = 'grant-saved';
    return { redirectTo: context.href('/identity-providers/grants', { issuer, done }) };
  },
  look: async (context, shown) => {
    const { subject, values, problems } = shown;
    const issuer = issuerOf(context);
    const stored = groupsOf(subject, values.value);
    const isFixed = stored !== undefined && problemAt(problems, 'value') === undefined;
    const wasSent = problems.status !== 200 && values.value !== '';
    const valueField = textField({
      ...typedField(values, 'value', problems),
      label: labels.value,
      hint: 'One that ends at / or : stands for every id that begins with it, such as repo:acme/.',
      isCode: true,
    });
    return {
      title: isFixed ? `Change the grant of ${values.value}` : 'Grant client ids',
      section,
      crumbs: grantCrumbs(context, issuer),
      lead: html`<code>${issuer}</code>`,
      labels,
      submit: isFixed ? 'Save' : 'Grant',
      fields: [
        hiddenField('issuer', issuer),
        isFixed ? [hiddenField('value', values.value), hiddenField('exists', 'yes')] : valueField,
        groupsField(shown, stored),
        wasSent && (await otherClients(context, issuer, values)),
      ],
    };
  },
};

function grantCrumbs(context: RequestContext, issuer: string) {
  const href = context.href('/identity-providers/grants', { issuer });
  return [...ofProvider(context, issuer).crumbs, { text: 'Grants', href }];
}

function issuerCrumbs({ href }: RequestContext) {
  return [{ text: 'Granted issuers', href: href('/identity-providers/issuer-grants') }];
}

/** An issuer, and those below its path, that trunk groups may register. */
export const issuerGrant: Form<GrantList, GrantValues, Pick<GrantValues, 'trunkGroups'>> = {
  operation: 'setIssuerGrant',
  find: findIssuers,
  version: ownVersion,
  start: (context, list) => ({
    value: '',
    trunkGroups: groupsOf(list, issuerOf(context)) ?? [],
    leave: [],
    actions: new Map(),
  }),
  read: readGrant,
  required,
  input: ({ trunkGroups }) => ({ trunkGroups }),
  act: async (context, { values, input, ifVersion }) => {
    const issuer = issuerOf(context);
    requireNew(context, await findIssuers(context), 'issuer', issuer);
    const leave = values.leave.length === 0 ? undefined : values.leave;
    await context.management.setIssuerGrant(issuer, { ...input, leave, ifVersion });
    const done = 'grant-saved';
    return { redirectTo: context.href('/identity-providers/issuer-grants', { done }) };
  },
  look: (context, shown) => {
    const { subject, values, problems } = shown;
    const issuer = issuerOf(context);
    const stored = groupsOf(subject, issuer);
    const error = problemAt(problems, 'issuer');
    const isTyped = subject.place === '' || error !== undefined;
    const isFixed = stored !== undefined && !isTyped;
    const issuerField = textField({
      name: 'issuer',
      label: labels.issuer,
      value: issuer,
      isCode: true,
      error,
    });
    return {
      title: isFixed ? `Change the grant of ${issuer}` : 'Grant an issuer',
      section,
      crumbs: issuerCrumbs(context),
      lead: html`<code>${issuer}</code> and issuers below its path.`,
      labels,
      submit: isFixed ? 'Save' : 'Grant',
      fields: [
        isTyped ? issuerField : hiddenField('issuer', issuer),
        isFixed && hiddenField('exists', 'yes'),
        groupsField(shown, stored),
        textArea({
          name: 'leave',
          label: labels.leave,
          hint: 'One on each line, if another trunk group has registered it.',
          value: values.leave.join('\n'),
          rows: 2,
          error: problemAt(problems, 'leave'),
        }),
      ],
    };
  },
};

type Withdrawal = Form<GrantList, string>;

const whatStays = consequences(
  'What exists goes on: to stop it, disable or delete it.',
  'Nothing new is created with it, until it is granted again.',
);

function withdrawalPage(
  context: RequestContext,
  { subject, values: value }: Shown<GrantList, string>,
  crumbs: readonly Crumb[],
  field?: Html,
): FormPage {
  return {
    title: 'Withdraw this grant?',
    section,
    crumbs,
    lead: html`${code(value)} of ${(groupsOf(subject, value) ?? ['no trunk group']).join(', ')}`,
    submit: 'Withdraw',
    submitKind: 'danger',
    fields: [hiddenField('issuer', issuerOf(context)), field, whatStays],
  };
}

export const subjectWithdrawal: Withdrawal = {
  operation: 'setSubjectGrant',
  find: findSubjects,
  version: ownVersion,
  start: ({ query }) => query.text('value'),
  read: (form) => form.text('value'),
  act: async ({ management, form, href }, { values: value, ifVersion }) => {
    const issuer = form.text('issuer');
    await management.setSubjectGrant(issuer, { value, trunkGroups: [], ifVersion });
    const done = 'grant-withdrawn';
    return { redirectTo: href('/identity-providers/grants', { issuer, done }) };
  },
  look: (context, shown) => {
    const crumbs = grantCrumbs(context, issuerOf(context));
    return withdrawalPage(context, shown, crumbs, hiddenField('value', shown.values));
  },
};

export const issuerWithdrawal: Withdrawal = {
  operation: 'setIssuerGrant',
  find: findIssuers,
  version: ownVersion,
  start: issuerOf,
  read: (form) => form.text('issuer'),
  act: async ({ management, href }, { values: issuer, ifVersion }) => {
    await management.setIssuerGrant(issuer, { trunkGroups: [], ifVersion });
    const done = 'grant-withdrawn';
    return { redirectTo: href('/identity-providers/issuer-grants', { done }) };
  },
  look: (context, shown) => withdrawalPage(context, shown, issuerCrumbs(context)),
};
