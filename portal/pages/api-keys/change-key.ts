import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabels } from '../../../contract/management/field-words.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { describeCut } from '../../../core/api-key/subnet-warnings.ts';
import {
  type ExpiryValues,
  expiryField,
  readExpiry,
  readExpiryValues,
} from '../../forms/expiry.ts';
import { type Form, type InputOf, noValues, ownVersion } from '../../forms/form.ts';
import { emptyRow, type SubnetInput, type SubnetRow, toSubnet } from '../../forms/subnet-rows.ts';
import { checkbox, hiddenField } from '../../html/field.ts';
import { html } from '../../html/html.ts';
import { consequences } from '../../html/parts.ts';
import { HttpError } from '../../http-error.ts';
import type { RequestContext } from '../../request-context.ts';
import { nameField } from '../clients/client-forms.ts';
import { keyPage } from './key-details.ts';
import { sourcesSummary } from './key-row.ts';
import {
  type KeyScopes,
  keyScopesField,
  readKeyScopes,
  startKeyScopes,
  toKeyScopes,
} from './key-scopes.ts';

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
