import type { ApiKey } from '../../../adapters/management.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { describeCut } from '../../../core/api-key/subnet-warnings.ts';
import { type Form, ownVersion } from '../../forms/form.ts';
import { emptyRow, type SubnetInput, type SubnetRow, toSubnet } from '../../forms/subnet-rows.ts';
import { hiddenField } from '../../html/field.ts';
import { html } from '../../html/html.ts';
import { consequences } from '../../html/parts.ts';
import { HttpError } from '../../http-error.ts';
import type { RequestContext } from '../../request-context.ts';
import { getKey, ofKey } from './change-key.ts';
import { keyPage } from './key-details.ts';

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
  required: {
    name: 'Give the subnet a name.',
    address: 'Type an IP address, e.g. 203.0.113.0.',
  },
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
