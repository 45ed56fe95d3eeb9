import { maxNameLength } from '../../../contract/limits.ts';
import { parseName, parseServiceTrunkGroup } from '../../../core/management/input-fields.ts';
import type { Fields } from '../../forms/fields.ts';
import { noProblems, type Problems, problemAt } from '../../forms/problems.ts';
import { nextRequestId } from '../../forms/request-id.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import {
  readSubnetRows,
  type SubnetRow,
  showSubnetRows,
  subnetRowChecks,
  toSubnets,
} from '../../forms/subnet-rows.ts';
import { checkbox, hiddenField, textField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { linkButton, pageHeader } from '../../html/parts.ts';
import { subnetRows } from '../../html/subnet-fields.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { chooseTrunkGroup, nothingPage } from '../choose-trunk-group.ts';
import { trunkGroupField } from '../clients/client-fields.ts';
import { createdKeyPage } from './created-key.ts';

interface KeyValues {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  readonly enabled: boolean;
  readonly rows: readonly SubnetRow[];
  readonly requestId: string;
}

function readValues(form: Fields): KeyValues {
  return {
    name: form.text('name'),
    serviceTrunkGroup: form.text('serviceTrunkGroup'),
    enabled: form.isOn('enabled'),
    rows: readSubnetRows(form),
    requestId: form.text('requestId'),
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
    subnets: 'Subnets',
  };
}

async function showForm(
  context: RequestContext,
  values: KeyValues,
  problems: Problems,
): Promise<Page> {
  const { href } = context;
  const granted = await context.granted(values.serviceTrunkGroup.trim());
  const { rows } = values;
  const form = postForm(
    {
      action: href('/api-keys'),
      problems,
      labels: labelsOf(rows),
      submit: 'Create API key',
      hasOtherButtons: true,
      cancel: href('/api-keys'),
    },
    [
      hiddenField('requestId', values.requestId),
      textField({
        name: 'name',
        label: 'Name',
        hint: 'Whose key it is, e.g. “Ada Lovelace”. It can be changed later.',
        value: values.name,
        required: true,
        maxLength: maxNameLength,
        error: problemAt(problems, 'name'),
      }),
      trunkGroupField(context, values.serviceTrunkGroup, problems),
      checkbox({ name: 'enabled', label: 'Enabled', isOn: values.enabled }),
      subnetRows(rows, problems, granted.requireSubnet === true),
    ],
  );
  return {
    status: problems.status,
    title: 'New API key',
    section: 'api-keys',
    body: html`${pageHeader({
      title: 'New API key',
      crumbs: [{ text: 'API keys', href: href('/api-keys') }],
      lead: 'A key may do everything that its trunk group may do. Limit it to the subnets of its owner.',
    })}${form}`,
  };
}

export const newApiKey: Handler = async (context) => {
  context.require('createApiKey');
  const { newRequestId, href } = context;
  const creation = { title: 'New API key', section: 'api-keys', path: '/api-keys/new' } as const;
  const group = await chooseTrunkGroup(context, creation);
  if (typeof group !== 'string') return group;
  if ((await context.granted(group)).maxApiKeys === 0) {
    return nothingPage(creation, {
      title: `No API keys are allowed in ${group}`,
      text: 'The platform allows only clients there. A client gets short-lived tokens.',
      action: linkButton(href('/clients/new', { trunkGroup: group }), 'New client', 'primary'),
    });
  }
  const values = {
    name: '',
    serviceTrunkGroup: group,
    enabled: true,
    rows: showSubnetRows([]),
    requestId: newRequestId(),
  };
  return showForm(context, values, noProblems);
};

export const createApiKey: Handler = async (context) => {
  const { form, management } = context;
  const wantsMore = form.isOn('more');
  const sent = readValues(form);
  const values = { ...sent, rows: showSubnetRows(sent.rows, wantsMore) };
  if (wantsMore) return showForm(context, values, noProblems);
  return submit(
    async () => {
      const required = {
        name: 'Give the key a name.',
        serviceTrunkGroup: 'Say which trunk group the key belongs to.',
      };
      requireFields(form, required, [
        () => parseName(values.name),
        () => parseServiceTrunkGroup(values.serviceTrunkGroup.trim()),
        ...subnetRowChecks(values.rows),
      ]);
      const created = await management.createApiKey({
        name: values.name,
        serviceTrunkGroup: values.serviceTrunkGroup.trim(),
        enabled: values.enabled,
        subnets: toSubnets(values.rows),
        idempotencyKey: values.requestId || undefined,
      });
      return createdKeyPage(context, created);
    },
    (problems) => {
      const requestId = nextRequestId(context, values.requestId, problems);
      return showForm(context, { ...values, requestId }, problems);
    },
  );
};
