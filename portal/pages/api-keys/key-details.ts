import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import { acceptsSource, formatCidr, formatNetmask } from '../../../core/api-key/subnet.ts';
import { findSubnetWarnings } from '../../../core/api-key/subnet-warnings.ts';
import { isStoppedBy } from '../../../core/stops.ts';
import { versionField } from '../../forms/form.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import {
  currentAddressButton,
  currentAddressName,
  emptyRow,
  type SubnetRow,
  subnetFields,
  subnetHint,
} from '../../forms/subnet-rows.ts';
import { hiddenField } from '../../html/field.ts';
import { actionButton } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { badge, dataTable, enabledBadge, stopsText } from '../../html/list.ts';
import { copyable, dangerPanel, factList, linkButton, panel } from '../../html/parts.ts';
import { timeWithDistance } from '../../html/time.ts';
import type { Handler, HtmlPage, RequestContext } from '../../request-context.ts';
import { changedFact } from '../audit/audit.ts';
import { expirySummary, oldValueFacts, scopesSummary, useFacts, warningNotes } from './key-list.ts';

function subnetTable({ href, may }: RequestContext, key: ApiKey): Html {
  return dataTable(
    'Subnets',
    [
      ['Name', ({ name }) => name],
      ['IP address', ({ address }) => html`<code>${address}</code>`],
      ['Netmask', (subnet) => html`<code>${formatNetmask(subnet)}</code>`, 'minor'],
      ['Prefix', ({ prefixLength }) => html`<code>/${prefixLength}</code>`],
      may('removeSubnet') && [
        'Actions',
        (subnet) => html`
          <a href="${href(`/api-keys/${key.keyId}/subnets/${subnet.subnetId}/remove`)}">Remove
          <span class="visually-hidden"> ${subnet.name}, ${formatCidr(subnet)}</span></a>
        `,
        'plain',
      ],
    ],
    key.subnets,
  );
}

function addForm(
  { href, callerAddress }: RequestContext,
  key: ApiKey,
  row: SubnetRow,
  problems: Problems,
): Html {
  const isFirst = key.subnets.length === 0;
  const isAdded = (address: string) => !isFirst && acceptsSource(key.subnets, address);
  return html`
    <form method="post" action="${href(`/api-keys/${key.keyId}/subnets`)}" class="add-row" data-once>
      ${versionField(key.version)}
      <h3>
        Add a subnet</h3>
      <p class="hint">
        ${subnetHint}
        ${isFirst ? ' From then on, only this subnet can use the key.' : ''}
      </p>
      ${subnetFields('', row, problems)}
      <button class="button button-plain" type="submit">
        Add subnet</button>
    </form>
    ${
      callerAddress !== undefined &&
      !isAdded(callerAddress) &&
      html`
        <form method="post" action="${href(`/api-keys/${key.keyId}/subnets`)}" class="add-row" data-once>
          ${versionField(key.version)}${hiddenField('name', currentAddressName)}${hiddenField(
            'address',
            callerAddress,
          )}${currentAddressButton(callerAddress)}
        </form>
      `
    }
  `;
}

function subnetsPanel(
  context: RequestContext,
  key: ApiKey,
  row: SubnetRow,
  problems: Problems,
): Html {
  const warned = findSubnetWarnings(key.subnets);
  const open = html`
    <div class="panel-text">
      <p>
        ${key.enabled ? badge('warn', 'Any address') : badge('off', 'Any address')} Every address on
        the internet can use this key. Add a subnet to shut out all others.
      </p>
    </div>
  `;
  return panel(
    { title: 'Usable from', id: 'subnets' },
    html`${key.subnets.length === 0 ? open : html`${warned.length > 0 && html`<div class="panel-text">${warningNotes(warned)}</div>`}${subnetTable(context, key)}`}${
      context.may('addSubnet') && addForm(context, key, row, problems)
    }`,
  );
}

function stopPanel({ href, may }: RequestContext, key: ApiKey): Html | '' {
  if (!may('deleteApiKey')) return '';
  const address = `/api-keys/${key.keyId}`;
  const version = versionField(key.version);
  return dangerPanel('Stop this key', [
    !isStoppedBy(key, 'person')
      ? {
          title: 'Disable',
          text: 'Requests with the key are refused, at once. It can be enabled again.',
          action: actionButton(href(`${address}/disable`), 'Disable API key', version),
        }
      : {
          title: 'Enable',
          text: 'Requests with the key are accepted again.',
          action: actionButton(href(`${address}/enable`), 'Enable API key', version, 'primary'),
        },
    {
      title: 'Delete',
      text: 'The key is removed for good.',
      action: linkButton(href(`${address}/delete`), 'Delete API key…', 'danger'),
    },
  ]);
}

/** The page that ends the old value before its time. */
function endOldValue({ href, may }: RequestContext, { keyId }: ApiKey): Html | '' {
  return may('updateApiKey')
    ? html` · <a href="${href(`/api-keys/${keyId}/edit`)}">End it now</a>`
    : '';
}

export function keyPage(
  context: RequestContext,
  key: ApiKey,
  problems: Problems = noProblems,
  row: SubnetRow = emptyRow,
): HtmlPage {
  const { href, may, now } = context;
  const isOver = key.expiresAt !== undefined && key.expiresAt <= now;
  const canRotate = may('rotateApiKey') && key.enabled && !isOver;
  return {
    title: key.name,
    section: 'api-keys',
    crumbs: [],
    badge: enabledBadge(key.enabled),
    actions: [
      canRotate && linkButton(href(`/api-keys/${key.keyId}/rotate`), 'Rotate'),
      may('updateApiKey') && linkButton(href(`/api-keys/${key.keyId}/edit`), 'Edit'),
    ],
    problems,
    labels: { name: 'Name', address: 'IP address', netmask: 'Netmask' },
    body: html`${panel(
      { title: 'Details', id: 'details' },
      factList([
        ['Key id', copyable(key.keyId, 'the key id')],
        ['Service trunk group', html`<code>${key.serviceTrunkGroup}</code>`],
        !key.enabled && ['Disabled', stopsText(key)],
        ['Value', html`<span class="muted">Shown once, when it was made</span>`],
        [fieldLabel('scopes'), scopesSummary(key)],
        ['Expires', expirySummary(key, now)],
        ...oldValueFacts(key, now, endOldValue(context, key)),
        ...useFacts(key, now),
        ['Created', timeWithDistance(key.createdAt, now)],
        changedFact(context, `/api-keys/${key.keyId}`, key.updatedAt),
      ]),
    )}${subnetsPanel(context, key, row, problems)}${stopPanel(context, key)}`,
  };
}

export const showApiKey: Handler = async (context) =>
  keyPage(context, await context.management.findApiKey(context.id('keyId')));
