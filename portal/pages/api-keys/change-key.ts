import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabel, fieldLabels } from '../../../contract/management/field-words.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { describeCut } from '../../../core/api-key/subnet-warnings.ts';
import type { Limits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { offeredScopes } from '../../access/offer.ts';
import {
  type ExpiryValues,
  expiryField,
  readExpiry,
  readExpiryValues,
} from '../../forms/expiry.ts';
import { type Form, type InputOf, noValues, ownVersion } from '../../forms/form.ts';
import { type Fields, type Problems, problemAt, requireChoice } from '../../forms/problems.ts';
import { emptyRow, type SubnetInput, type SubnetRow, toSubnet } from '../../forms/subnet-rows.ts';
import { checkbox, hiddenField, radioGroup } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import { consequences } from '../../html/parts.ts';
import { scopeTable } from '../../html/scope-matrix.ts';
import { HttpError } from '../../http-error.ts';
import type { RequestContext } from '../../request-context.ts';
import { nameField } from '../clients/client-forms.ts';
import { keyPage } from './key-details.ts';
import { sourcesSummary } from './key-list.ts';

const every = { value: 'every', text: 'Everything that the platform’s APIs offer the trunk group' };
const chosenLabel = 'Only these scopes';

/** What a key may do, as a form has it. */
export type KeyScopes = Readonly<ReturnType<typeof readKeyScopes>>;

export function readKeyScopes(form: Fields) {
  const scopes = form.all('scopes');
  return { access: form.text('access') || (scopes.length > 0 ? 'chosen' : ''), scopes };
}

export function startKeyScopes(
  scopes: readonly string[] | undefined,
  { requireApiKeyScopes }: Limits = {},
): KeyScopes {
  const isChosen = scopes !== undefined || requireApiKeyScopes === true;
  return { access: isChosen ? 'chosen' : 'every', scopes: scopes ?? [] };
}

/**
 * @returns null: every scope; undefined: as it is, of a form without the field.
 * @throws {FormError} if scopes are ticked and not chosen.
 */
export function toKeyScopes({ access, scopes }: KeyScopes): readonly string[] | null | undefined {
  requireChoice({
    field: 'scopes',
    label: chosenLabel,
    isChosen: access === 'chosen',
    text: scopes.join(' '),
    what: 'the scopes',
  });
  if (access === 'chosen') return scopes;
  return access === 'every' ? null : undefined;
}

/** A field for the scopes of a key. */
export function keyScopesField(
  { deployment }: RequestContext,
  { access, scopes }: KeyScopes,
  problems: Problems,
  {
    limits,
    present,
  }: { readonly limits: Limits; readonly present?: Pick<ApiKey, 'scopes'> | undefined },
): Html {
  const isRequired = limits.requireApiKeyScopes === true;
  const mayHaveEvery = !isRequired || (present !== undefined && present.scopes === undefined);
  const error = problemAt(problems, 'scopes');
  return radioGroup({
    name: 'scopes',
    group: 'access',
    label: fieldLabel('scopes'),
    hint: 'What a request with the key may do. Anyone who finds a key can do the same.',
    value: error !== undefined && scopes.length > 0 ? 'chosen' : access,
    error,
    options: [
      ...(mayHaveEvery ? [every] : []),
      {
        value: 'chosen',
        text: chosenLabel,
        // Without the limit, a key may have every scope of the catalogue in any case.
        more: scopeTable(
          offeredScopes(deployment.scopes, isRequired ? limits : {}, present?.scopes ?? []),
          scopes,
        ),
      },
    ],
  });
}

export function getKey({ management, id }: RequestContext): Promise<ApiKey> {
  return management.findApiKey(id('keyId'));
}

/** Where a page about one key is. */
export function ofKey({ href }: Pick<RequestContext, 'href'>, { keyId, name }: ApiKey) {
  return {
    section: 'api-keys',
    crumbs: [{ text: name, href: href(`/api-keys/${keyId}`) }],
  } as const;
}

interface KeyEdit extends ExpiryValues, KeyScopes {
  readonly name: string;
  readonly endOldValues: boolean;
}

export const keyEdit: Form<ApiKey, KeyEdit, InputOf<'updateApiKey'>> = {
  operation: 'updateApiKey',
  find: getKey,
  version: ownVersion,
  start: (_, { name, scopes }) => ({
    ...startKeyScopes(scopes),
    name,
    endOldValues: false,
    expiry: 'keep',
    expiryDate: '',
  }),
  read: (form) => ({
    ...readExpiryValues(form, 'keep'),
    ...readKeyScopes(form),
    endOldValues: form.isOn('endOldValues'),
    name: form.text('name'),
  }),
  input: (values, { now }) => ({
    name: values.name,
    endOldValues: values.endOldValues || undefined,
    scopes: () => toKeyScopes(values),
    expiresAt: () => readExpiry(values, now),
  }),
  act: async ({ management, href, id }, { input, ifVersion }) => {
    const { keyId } = await management.updateApiKey(id('keyId'), { ...input, ifVersion });
    return { redirectTo: href(`/api-keys/${keyId}`, { done: 'saved' }) };
  },
  look: async (context, { subject: key, values, problems, isConflict }) => {
    const limits = await context.limitsOf(key.serviceTrunkGroup);
    return {
      title: `Edit ${key.name}`,
      ...ofKey(context, key),
      labels: fieldLabels('name', 'scopes', 'expiresAt'),
      submit: 'Save',
      fields: [
        nameField(values.name, problems, isConflict ? key.name : undefined),
        key.oldValues !== undefined &&
          checkbox({
            name: 'endOldValues',
            label: 'End the old value now',
            hint: 'Callers that still use the value from before the rotation are refused at once.',
            isOn: values.endOldValues,
          }),
        keyScopesField(context, values, problems, {
          limits,
          // What a key has already stays, also above a limit.
          present: key,
        }),
        expiryField({
          label: 'Expires',
          values,
          problems,
          present: key,
          maxLifetime: limits.maxApiKeyLifetime,
        }),
      ],
    };
  },
};

const enabledForm = (enabled: boolean): Form<ApiKey, undefined> => ({
  ...noValues,
  operation: 'setApiKeyEnabled',
  find: getKey,
  // Stopping wins: a version that is out of date does not hold it up.
  version: enabled ? ownVersion : undefined,
  act: async ({ management, href, id }, { ifVersion }) => {
    const keyId = id('keyId');
    await management.setApiKeyEnabled(keyId, enabled, { ifVersion });
    const done = enabled ? 'key-enabled' : 'key-disabled';
    return { redirectTo: href(`/api-keys/${keyId}`, { done }) };
  },
  look: (context, { subject, problems }) => keyPage(context, subject, problems),
});

export const keyEnabling = enabledForm(true);
export const keyDisabling = enabledForm(false);

export const keyDeletion: Form<ApiKey, undefined> = {
  ...noValues,
  operation: 'deleteApiKey',
  find: getKey,
  version: ownVersion,
  act: async ({ management, href, id }, { ifVersion }) => {
    await management.deleteApiKey(id('keyId'), { ifVersion });
    return { redirectTo: href('/api-keys', { done: 'key-deleted' }) };
  },
  look: (context, { subject: key }) => ({
    title: `Delete ${key.name}?`,
    ...ofKey(context, key),
    lead: html`<code>${key.keyId}</code>`,
    submit: 'Delete API key',
    submitKind: 'danger',
    fields: consequences(
      key.enabled
        ? html`Requests with the key are refused, at once. It is usable from ${sourcesSummary(key)} now.`
        : 'The key is disabled and does not work at present.',
      html`It acts for the trunk group <code>${key.serviceTrunkGroup}</code>. Other keys of the group keep working.`,
      'It cannot be undone. To stop it for a while, disable it.',
    ),
  }),
};

/** Its fields are on the page of the key. */
export const subnetAddition: Form<ApiKey, SubnetRow, SubnetInput> = {
  operation: 'addSubnet',
  find: getKey,
  version: ownVersion,
  start: () => emptyRow,
  read: (form) => ({
    name: form.text('name'),
    address: form.text('address'),
    netmask: form.text('netmask'),
  }),
  required: { name: 'Give the subnet a name.', address: 'Type an IP address, e.g. 203.0.113.0.' },
  input: toSubnet,
  act: async ({ management, href, id }, { input, ifVersion }) => {
    const keyId = id('keyId');
    const { subnet } = await management.addSubnet(keyId, { ...input, ifVersion });
    const isCut = describeCut(input.address, subnet) !== undefined;
    const done = isCut ? 'subnet-added-cut' : 'subnet-added';
    return { redirectTo: href(`/api-keys/${keyId}`, { done }) };
  },
  look: (context, { subject, values, problems }) => keyPage(context, subject, problems, values),
};

interface Found {
  readonly key: ApiKey;
  readonly subnet: ApiKey['subnets'][number];
}

async function getSubnet(context: RequestContext): Promise<Found> {
  const key = await getKey(context);
  const subnetId = context.id('subnetId');
  const subnet = key.subnets.find((one) => one.subnetId === subnetId);
  if (subnet === undefined) throw new HttpError(404);
  return { key, subnet };
}

export const subnetRemoval: Form<Found, { readonly allowAnySource: boolean }> = {
  operation: 'removeSubnet',
  find: getSubnet,
  version: ({ key }) => key.version,
  start: () => ({ allowAnySource: false }),
  read: (form) => ({ allowAnySource: form.isOn('allowAnySource') }),
  act: async (context, { values, ifVersion }) => {
    const { key, subnet } = await getSubnet(context);
    const options = { ...values, ifVersion };
    await context.management.removeSubnet(key.keyId, subnet.subnetId, options);
    return { redirectTo: context.href(`/api-keys/${key.keyId}`, { done: 'subnet-removed' }) };
  },
  look: (context, { subject: { key, subnet } }) => {
    const isLast = key.subnets.length === 1;
    return {
      title: `Remove ${subnet.name}?`,
      ...ofKey(context, key),
      lead: html`<code>${formatCidr(subnet)}</code>`,
      submit: isLast ? 'Remove it and let every address use the key' : 'Remove subnet',
      submitKind: 'danger',
      fields: [
        isLast && hiddenField('allowAnySource', 'yes'),
        isLast
          ? consequences(
              html`<strong>It is the last subnet: without it, every address on the internet can use the key.</strong>`,
              'To keep the key shut, disable it, or add another subnet first.',
            )
          : consequences(
              `Requests with the key from ${formatCidr(subnet)} are refused, at once, unless another subnet of the key has the address too.`,
              `${key.subnets.length - 1} ${key.subnets.length === 2 ? 'subnet stays' : 'subnets stay'}.`,
            ),
      ],
    };
  },
};
