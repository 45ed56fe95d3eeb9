import { maxNameLength } from '../../contract/limits.ts';
import { requiredSubnetText } from '../../contract/required-subnet.ts';
import { type Problems, problemAt } from '../forms/problems.ts';
import type { SubnetRow } from '../forms/subnet-rows.ts';
import { fieldGroup, hiddenField, textField } from './field.ts';
import { type Html, html } from './html.ts';

export const subnetHint =
  'The netmask is written as 255.255.255.0 or 24. It can be empty if the address has a prefix, as in 203.0.113.0/24, or stands for itself. IPv6 works too.';

/** The fields of one subnet. @param prefix of the names, e.g. `subnets[0].` */
export function subnetFields(prefix: string, row: SubnetRow, problems: Problems): Html {
  return html`<div class="subnet-row">${textField({
    name: `${prefix}name`,
    label: 'Name',
    value: row.name,
    maxLength: maxNameLength,
    placeholder: 'office',
    error: problemAt(problems, `${prefix}name`),
  })}${textField({
    name: `${prefix}address`,
    label: 'IP address',
    value: row.address,
    placeholder: '203.0.113.0',
    isCode: true,
    error: problemAt(problems, `${prefix}address`),
  })}${textField({
    name: `${prefix}netmask`,
    label: 'Netmask',
    value: row.netmask,
    placeholder: '255.255.255.0',
    isCode: true,
    error: problemAt(problems, `${prefix}netmask`),
  })}</div>`;
}

/** Sends the form with the address from which this page was asked for. */
export function currentAddressButton(address: string): Html {
  return html`
    <button class="button button-plain" type="submit" name="current" value="${address}"
      formnovalidate>
      Add my current address, ${address}
    </button>
    <p class="hint">An API may see another address, for example through a VPN or over IPv6.</p>
  `;
}

/** Rows of subnets, with a button that asks the portal for more of them. */
export function subnetRows(
  rows: readonly SubnetRow[],
  problems: Problems,
  { isRequired, callerAddress }: { isRequired: boolean; callerAddress: string | undefined },
): Html {
  const whoMay = isRequired
    ? `A key of this trunk group needs one or more, ${requiredSubnetText}.`
    : html`Leave all of it empty to let <strong>every address</strong> use the key.`;
  return fieldGroup(
    {
      name: 'subnets',
      label: 'Subnets that may use the key',
      hint: html`${whoMay} ${subnetHint}`,
    },
    html`
      ${hiddenField('rows', rows.length)}${rows.map(
        (row, index) =>
          html`
        <fieldset class="subnet">
          <legend class="visually-hidden">Subnet ${index + 1}</legend>
          ${subnetFields(`subnets[${index}].`, row, problems)}
        </fieldset>
      `,
      )}
      <button class="button button-plain" type="submit" name="more" value="1" formnovalidate>
        More rows
      </button>
      ${callerAddress !== undefined && html` ${currentAddressButton(callerAddress)}`}
    `,
  );
}
