import type { ApiKey } from '../../../adapters/management.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { HttpError } from '../../http-error.ts';
import type { Handler, Page, Visit } from '../../visit.ts';
import { underKey } from './change-key.ts';
import { keyPage } from './key-details.ts';

export const addSubnet: Handler = async (visit) => {
  const { management, form, href } = visit;
  const keyId = visit.id('keyId');
  const row = {
    name: form.text('name'),
    address: form.text('address'),
    netmask: form.text('netmask'),
  };
  return submit(
    async () => {
      requireFields(form, {
        name: 'Give the subnet a name.',
        address: 'Type an IP address, e.g. 203.0.113.0.',
      });
      await management.addSubnet(keyId, {
        ...row,
        netmask: row.netmask.trim() || undefined,
        ifVersion: readVersion(form),
      });
      return { redirectTo: href(`/api-keys/${keyId}`, { done: 'subnet-added' }) };
    },
    async (problems) => keyPage(visit, await management.findApiKey(keyId), problems, row),
  );
};

type Subnet = ApiKey['subnets'][number];

async function findSubnet(
  visit: Visit,
): Promise<{ readonly key: ApiKey; readonly subnet: Subnet }> {
  const key = await visit.management.findApiKey(visit.id('keyId'));
  const subnetId = visit.id('subnetId');
  const subnet = key.subnets.find((one) => one.subnetId === subnetId);
  if (subnet === undefined) throw new HttpError(404);
  return { key, subnet };
}

function showConfirmation(visit: Visit, key: ApiKey, subnet: Subnet, problems: Problems): Page {
  const address = `/api-keys/${key.keyId}`;
  const isLast = key.subnets.length === 1;
  const form = postForm(
    {
      action: visit.href(`${address}/subnets/${subnet.subnetId}/remove`),
      problems,
      labels: {},
      submit: isLast ? 'Remove it and let every address use the key' : 'Remove subnet',
      submitKind: 'danger',
      cancel: visit.href(address),
    },
    [
      hiddenField('ifVersion', key.version),
      isLast && hiddenField('allowAnySource', 'yes'),
      isLast
        ? html`<ul class="consequences"><li><strong>It is the last subnet: without it, every address on the internet can use the key.</strong></li><li>To keep the key shut, disable it, or add another subnet first.</li></ul>`
        : html`<ul class="consequences"><li>Requests with the key from ${formatCidr(subnet)} are refused, at once, unless another subnet of the key has the address too.</li><li>${key.subnets.length - 1} ${key.subnets.length === 2 ? 'subnet stays' : 'subnets stay'}.</li></ul>`,
    ],
  );
  return underKey(visit, key, {
    title: `Remove ${subnet.name}?`,
    lead: html`<code>${formatCidr(subnet)}</code>`,
    problems,
    body: form,
  });
}

export const confirmRemoveSubnet: Handler = async (visit) => {
  visit.require('removeSubnet');
  const { key, subnet } = await findSubnet(visit);
  return showConfirmation(visit, key, subnet, noProblems);
};

export const removeSubnet: Handler = async (visit) => {
  const { management, form, href } = visit;
  const { key, subnet } = await findSubnet(visit);
  return submit(
    async () => {
      await management.removeSubnet(key.keyId, subnet.subnetId, {
        allowAnySource: form.isOn('allowAnySource'),
        ifVersion: readVersion(form),
      });
      return { redirectTo: href(`/api-keys/${key.keyId}`, { done: 'subnet-removed' }) };
    },
    async (problems) => showConfirmation(visit, key, subnet, problems),
  );
};
