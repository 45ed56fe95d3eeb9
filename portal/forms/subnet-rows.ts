import { maxNameLength } from '../../contract/bounds.ts';
import { requiredSubnetText } from '../../contract/required-subnet.ts';
import { fieldGroup, hiddenField, textField } from '../html/field.ts';
import { type Html, html } from '../html/html.ts';
import { type Fields, type Problems, problemAt } from './problems.ts';

/** A subnet as entered. */
export interface SubnetRow {
  readonly name: string;
  readonly address: string;
  readonly netmask: string;
}

export const emptyRow: SubnetRow = { name: '', address: '', netmask: '' };

/** A key has at most 100 subnets; a form with more does not come from the portal. */
const maxRows = 100;

function isEmpty({ name, address, netmask }: SubnetRow): boolean {
  return `${name}${address}${netmask}`.trim() === '';
}

export const currentAddressName = 'My address';

/** The row of the button that adds the address from which the page is used. */
export function currentAddressRow(form: Fields): SubnetRow | undefined {
  const address = form.optional('current');
  return address === undefined ? undefined : { name: currentAddressName, address, netmask: '' };
}

/** The rows of a form, as many as it declares. */
export function readSubnetRows(form: Fields): readonly SubnetRow[] {
  const count = Math.min(maxRows, Number.parseInt(form.text('rows'), 10) || 0);
  return Array.from({ length: count }, (_, index) => ({
    name: form.text(`subnets[${index}].name`),
    address: form.text(`subnets[${index}].address`),
    netmask: form.text(`subnets[${index}].netmask`),
  }));
}

/** Rows of a new form. Its button adds the same number. */
const rowsAtOnce = 2;

/**
 * The rows of a form: first the filled ones, then empty ones. The index of a row is that of its
 * subnet in the list, so problems are shown at the right row.
 */
export function showSubnetRows(rows: readonly SubnetRow[], more = false): readonly SubnetRow[] {
  const filled = rows.filter((row) => !isEmpty(row));
  const rowCount = Math.max(rows.length, rowsAtOnce) + (more ? rowsAtOnce : 0);
  const empty = Math.max(0, Math.min(rowCount, maxRows) - filled.length);
  return [...filled, ...Array.from({ length: empty }, () => emptyRow)];
}

/** A subnet as the library takes it. */
export type SubnetInput = Readonly<ReturnType<typeof toSubnet>>;

export function toSubnet({ name, address, netmask }: SubnetRow) {
  return { name, address: address.trim(), netmask: netmask.trim() || undefined };
}

/** The filled rows as input of the library. */
export function toSubnets(rows: readonly SubnetRow[]): readonly SubnetInput[] {
  return rows.filter((row) => !isEmpty(row)).map(toSubnet);
}

export const subnetHint =
  'The netmask is written as 255.255.255.0 or 24. It can be empty if the address has a prefix, as in 203.0.113.0/24, or stands for itself. IPv6 works too.';

/** The fields of one subnet. @param prefix of the names, e.g. `subnets[0].` */
export function subnetFields(prefix: string, row: SubnetRow, problems: Problems): Html {
  const typed = (field: keyof SubnetRow) => {
    const name = prefix + field;
    return { name, value: row[field], error: problemAt(problems, name) };
  };
  return html`
    <div class="subnet-row">
      ${textField({ ...typed('name'), label: 'Name', maxLength: maxNameLength, placeholder: 'office' })}
      ${textField({ ...typed('address'), label: 'IP address', placeholder: '203.0.113.0', isCode: true })}
      ${textField({ ...typed('netmask'), label: 'Netmask', placeholder: '255.255.255.0', isCode: true })}
    </div>
  `;
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
    { name: 'subnets', label: 'Subnets that may use the key', hint: html`${whoMay} ${subnetHint}` },
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
