import type { Fields } from './fields.ts';

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
export interface SubnetInput {
  readonly name: string;
  readonly address: string;
  readonly netmask: string | undefined;
}

export function toSubnet({ name, address, netmask }: SubnetRow): SubnetInput {
  return { name, address: address.trim(), netmask: netmask.trim() || undefined };
}

/** The filled rows as input of the library. */
export function toSubnets(rows: readonly SubnetRow[]): readonly SubnetInput[] {
  return rows.filter((row) => !isEmpty(row)).map(toSubnet);
}
