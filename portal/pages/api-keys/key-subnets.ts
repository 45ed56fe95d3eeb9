import type { ApiKey } from '../../../adapters/management.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import { subnetChecks } from '../../forms/subnet-rows.ts';
import { readVersion } from '../../forms/version.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { HttpError } from '../../http-error.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { underKey } from './change-key.ts';
import { keyPage } from './key-details.ts';

export const addSubnet: Handler = async (context) => {
  const { management, form, href } = context;
  const keyId = context.id('keyId');
  const row = {
    name: form.text('name'),
    address: form.text('address'),
    netmask: form.text('netmask'),
  };
  return submit(
    async () => {
      const required = {
        name: 'Give the subnet a name.',
        address: 'Type an IP address, e.g. 203.0.113.0.',
      };
      requireFields(form, required, subnetChecks(row, ''));
      await management.addSubnet(keyId, {
        ...row,
        netmask: row.netmask.trim() || undefined,
        ifVersion: readVersion(form),
      });
      return { redirectTo: href(`/api-keys/${keyId}`, { done: 'subnet-added' }) };
    },
    async (problems) => keyPage(context, await management.findApiKey(keyId), problems, row),
  );
};

type Subnet = ApiKey['subnets'][number];

async function findSubnet(
  context: RequestContext,
): Promise<{ readonly key: ApiKey; readonly subnet: Subnet }> {
  const key = await context.management.findApiKey(context.id('keyId'));
  const subnetId = context.id('subnetId');
  const subnet = key.subnets.find((one) => one.subnetId === subnetId);
  if (subnet === undefined) throw new HttpError(404);
  return { key, subnet };
}

function showConfirmation(
  context: RequestContext,
  key: ApiKey,
  subnet: Subnet,
  problems: Problems,
): Page {
  const address = `/api-keys/${key.keyId}`;
  const isLast = key.subnets.length === 1;
  const form = postForm(
    {
      action: context.href(`${address}/subnets/${subnet.subnetId}/remove`),
      problems,
      labels: {},
      submit: isLast ? 'Remove it and let every address use the key' : 'Remove subnet',
      submitKind: 'danger',
      cancel: context.href(address),
    },
    [
      hiddenField('ifVersion', key.version),
      isLast && hiddenField('allowAnySource', 'yes'),
      isLast
        ? html`<ul class="consequences"><li><strong>It is the last subnet: without it, every address on the internet can use the key.</strong></li><li>To keep the key shut, disable it, or add another subnet first.</li></ul>`
        : html`<ul class="consequences"><li>Requests with the key from ${formatCidr(subnet)} are refused, at once, unless another subnet of the key has the address too.</li><li>${key.subnets.length - 1} ${key.subnets.length === 2 ? 'subnet stays' : 'subnets stay'}.</li></ul>`,
    ],
  );
  return underKey(context, key, {
    title: `Remove ${subnet.name}?`,
    lead: html`<code>${formatCidr(subnet)}</code>`,
    problems,
    body: form,
  });
}

export const confirmRemoveSubnet: Handler = async (context) => {
  context.require('removeSubnet');
  const { key, subnet } = await findSubnet(context);
  return showConfirmation(context, key, subnet, noProblems);
};

export const removeSubnet: Handler = async (context) => {
  const { management, form, href } = context;
  const { key, subnet } = await findSubnet(context);
  return submit(
    async () => {
      await management.removeSubnet(key.keyId, subnet.subnetId, {
        allowAnySource: form.isOn('allowAnySource'),
        ifVersion: readVersion(form),
      });
      return { redirectTo: href(`/api-keys/${key.keyId}`, { done: 'subnet-removed' }) };
    },
    async (problems) => showConfirmation(context, key, subnet, problems),
  );
};
