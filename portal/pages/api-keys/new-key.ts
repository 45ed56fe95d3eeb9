import type { ApiKey } from '../../../adapters/management.ts';
import { maxNameLength } from '../../../contract/bounds.ts';
import { fieldLabel, fieldLabels } from '../../../contract/management/field-words.ts';
import {
  defaultExpiry,
  type ExpiryValues,
  expiryField,
  readExpiry,
  readExpiryValues,
} from '../../forms/expiry.ts';
import { type Form, type InputOf, Instead, ownVersion } from '../../forms/form.ts';
import { type Fields, noProblems, typedField } from '../../forms/problems.ts';
import {
  currentAddressRow,
  readSubnetRows,
  type SubnetRow,
  showSubnetRows,
  subnetRows,
  toSubnets,
} from '../../forms/subnet-rows.ts';
import { checkbox, textField } from '../../html/field.ts';
import { html } from '../../html/html.ts';
import { linkButton } from '../../html/parts.ts';
import type { HtmlPage, RequestContext } from '../../request-context.ts';
import { chooseTrunkGroup, nothingPage, quotaLimit, readQuota } from '../choose-trunk-group.ts';
import {
  defaultOverlap,
  type OverlapValues,
  overlapField,
  readOverlap,
  readOverlapValues,
} from '../client-secrets/new-secret.ts';
import { trunkGroupField } from '../clients/client-forms.ts';
import { callCommand, command } from '../clients/next-steps.ts';
import { madeCredentialPage } from '../made-credential.ts';
import {
  getKey,
  keyScopesField,
  ofKey,
  readKeyScopes,
  startKeyScopes,
  toKeyScopes,
} from './change-key.ts';
import {
  expirySummary,
  oldValueFacts,
  scopesSummary,
  sourcesSummary,
  warningNotes,
} from './key-list.ts';

type KeyValues = Readonly<ReturnType<typeof readValues>>;

function readValues(form: Fields) {
  const current = currentAddressRow(form);
  const hasMore = form.isOn('more');
  const rows = [...readSubnetRows(form), ...(current === undefined ? [] : [current])];
  return {
    ...readExpiryValues(form),
    ...readKeyScopes(form),
    name: form.text('name'),
    serviceTrunkGroup: form.text('serviceTrunkGroup'),
    enabled: form.isOn('enabled'),
    rows: showSubnetRows(rows, hasMore),
    /** Whether a button that adds rows was pressed: nothing is created. */
    wantsMore: hasMore || current !== undefined,
  };
}

/** Problems have the index of a subnet in the list. The summary shows which one that is. */
function labelsOf(rows: readonly SubnetRow[]): Readonly<Record<string, string>> {
  const fields = [
    ['name', 'name'],
    ['address', 'IP address'],
    ['netmask', 'netmask'],
  ] as const;
  const ofRows = rows.flatMap((_, index) =>
    fields.map(([field, text]): [string, string] => [
      `subnets[${index}].${field}`,
      `Subnet ${index + 1}, ${text}`,
    ]),
  );
  return {
    ...Object.fromEntries(ofRows),
    name: 'Name',
    serviceTrunkGroup: 'Service trunk group',
    ...fieldLabels('subnets', 'scopes', 'expiresAt'),
  };
}

/** The content of a new form, unless another page comes first. */
async function startKey(context: RequestContext): Promise<KeyValues | Instead> {
  const creation = { title: 'New API key', section: 'api-keys', path: '/api-keys/new' } as const;
  const group = await chooseTrunkGroup(context, creation);
  if (typeof group !== 'string') return new Instead(group);
  const limits = await context.limitsOf(group);
  if (quotaLimit('api-keys', limits) === 0) {
    const clients = context.href('/clients/new', { trunkGroup: group });
    return new Instead(
      nothingPage(creation, {
        title: `No API keys are allowed in ${group}`,
        text: 'The platform allows only clients there. A client gets short-lived tokens.',
        action: linkButton(clients, 'New client', 'primary'),
      }),
    );
  }
  const rows = showSubnetRows([]);
  const start = { name: '', serviceTrunkGroup: group, enabled: true, rows, wantsMore: false };
  const expiry = defaultExpiry(limits.maxApiKeyLifetime);
  return { ...start, ...startKeyScopes(undefined, limits), expiry, expiryDate: '' };
}

interface Created {
  readonly key: ApiKey;
  readonly value?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/** The response to the form that created a key, or rotated it: the only place that shows the value. */
function createdKeyPage(
  context: RequestContext,
  { key, value, warnings = [] }: Created,
  isRotated = false,
): HtmlPage {
  const { now, api } = context;
  const address = `/api-keys/${key.keyId}`;
  const did = isRotated ? 'rotated' : 'created';
  const page = madeCredentialPage(context, {
    title: `The API key was ${did}`,
    ...ofKey(context, key),
    value,
    kind: 'API key',
    label: 'the API key',
    address,
    facts: [
      ['Key id', html`<code>${key.keyId}</code>`],
      ['Service trunk group', html`<code>${key.serviceTrunkGroup}</code>`],
      ['Usable from', sourcesSummary(key)],
      [fieldLabel('scopes'), scopesSummary(key)],
      ['Expires', expirySummary(key, now)],
      ...oldValueFacts(key, now),
      !key.enabled && ['Status', 'Disabled: it does not work until it is enabled'],
      ['Sent as', html`<code>Authorization: Bearer &lt;API key&gt;</code>`],
      [
        'Try it',
        html`
          ${command(callCommand(api.apiUrl), 'the command')}<span class="hint">Paste the key, and
          press Enter.${api.apiUrl === undefined && ' Replace API_URL by the address of an API method.'}</span>
        `,
      ],
    ],
    before: {
      title: `An API key that was ${did} before`,
      what: isRotated ? `A new value of ${key.name}` : key.name,
      back: 'To the key',
      again: isRotated
        ? [`${address}/rotate`, 'Rotate again…']
        : [`${address}/delete`, 'Delete it…'],
      cure: isRotated
        ? 'rotate the key again: the value before it works until it expires'
        : 'delete it and create another one',
    },
  });
  return { ...page, body: html`${page.body}${warningNotes(warnings)}` };
}

export const keyCreation: Form<undefined, KeyValues, InputOf<'createApiKey'>> = {
  operation: 'createApiKey',
  creates: true,
  find: async () => undefined,
  start: startKey,
  read: readValues,
  required: {
    name: 'Give the key a name.',
    serviceTrunkGroup: 'Say which trunk group the key belongs to.',
  },
  input: ({ name, serviceTrunkGroup, enabled, rows, ...more }, { now }) => ({
    name,
    serviceTrunkGroup: serviceTrunkGroup.trim(),
    enabled,
    subnets: toSubnets(rows),
    scopes: () => toKeyScopes(more) ?? undefined,
    expiresAt: () => readExpiry(more, now) ?? undefined,
  }),
  act: async (context, { values, input, idempotencyKey, showAgain }) => {
    if (values.wantsMore) return showAgain();
    const created = await context.management.createApiKey({ ...input, idempotencyKey });
    return createdKeyPage(context, created);
  },
  look: async (context, { values, problems }) => {
    const group = values.serviceTrunkGroup.trim();
    const limits = await context.limitsOf(group);
    const quota = await readQuota(context, { kind: 'api-keys', group, limits });
    if (quota?.isUsedUp === true && problems === noProblems) return quota.page;
    return {
      title: 'New API key',
      section: 'api-keys',
      crumbs: [],
      lead: 'A key works until it expires, for everyone who has it. Restrict it to the subnets of its owner, and to what the owner needs.',
      labels: labelsOf(values.rows),
      submit: 'Create API key',
      hasOtherButtons: true,
      fields: [
        quota?.note,
        textField({
          ...typedField(values, 'name', problems),
          label: 'Name',
          hint: 'Whose key it is, e.g. “Ada Lovelace”. It can be changed later.',
          required: true,
          maxLength: maxNameLength,
        }),
        trunkGroupField(context, values.serviceTrunkGroup, problems),
        checkbox({ name: 'enabled', label: 'Enabled', isOn: values.enabled }),
        keyScopesField(context, values, problems, { limits }),
        expiryField({ label: 'Expires', values, problems, maxLifetime: limits.maxApiKeyLifetime }),
        subnetRows(values.rows, problems, {
          isRequired: limits.requireSubnet === true,
          callerAddress: context.callerAddress,
        }),
      ],
    };
  },
};

interface RotationValues extends OverlapValues, ExpiryValues {}

const overlapLabel = 'The old value expires';

export const keyRotation: Form<ApiKey, RotationValues, InputOf<'rotateApiKey'>> = {
  operation: 'rotateApiKey',
  creates: true,
  find: getKey,
  version: ownVersion,
  start: () => ({ ...defaultOverlap, expiry: 'keep', expiryDate: '' }),
  read: (form) => ({ ...readOverlapValues(form), ...readExpiryValues(form, 'keep') }),
  input: (values, { now }) => ({
    overlap: () => readOverlap(values),
    expiresAt: () => readExpiry(values, now) ?? undefined,
  }),
  // What is left makes it happen once, and only to the version that the form showed.
  act: async (context, { input, values: _values, showAgain: _showAgain, ...guards }) => {
    const keyId = context.id('keyId');
    const rotated = await context.management.rotateApiKey(keyId, { ...input, ...guards });
    return createdKeyPage(context, rotated, true);
  },
  look: async (context, { subject: key, values, problems }) => ({
    title: `Rotate ${key.name}`,
    ...ofKey(context, key),
    lead: 'A new value now, and an expiry for the old one, in one step. The id, the name, the scopes and the subnets stay.',
    labels: { overlap: overlapLabel, expiresAt: fieldLabel('expiresAt') },
    submit: 'Create the new value',
    fields: [
      overlapField(values, problems, {
        label: overlapLabel,
        hint: 'Until then, the old and the new value both work, at every verifier.',
      }),
      expiryField({
        label: 'The key expires',
        values,
        problems,
        present: key,
        maxLifetime: (await context.limitsOf(key.serviceTrunkGroup)).maxApiKeyLifetime,
      }),
    ],
  }),
};
