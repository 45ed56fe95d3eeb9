import type { Fields } from './fields.ts';

/** A subnet as it was typed. */
export interface SubnetRow {
  readonly name: string;
  readonly address: string;
  readonly netmask: string;
}

const emptyRow: SubnetRow = { name: '', address: '', netmask: '' };

/** A key has at most 100 subnets; a form with more does not come from the portal. */
const maxRows = 100;

function isEmpty({ name, address, netmask }: SubnetRow): boolean {
  return `${name}${address}${netmask}`.trim() === '';
}

/** The rows of a form: as many as it says it has. */
export function readSubnetRows(form: Fields): readonly SubnetRow[] {
  const count = Math.min(maxRows, Number.parseInt(form.text('rows'), 10) || 0);
  return Array.from({ length: count }, (_, index) => ({
    name: form.text(`subnets[${index}].name`),
    address: form.text(`subnets[${index}].address`),
    netmask: form.text(`subnets[${index}].netmask`),
  }));
}

/** Rows that a form begins with, and that each press of its button adds. */
const rowsAtOnce = 2;

/**
 * The rows of a form that is shown: what was filled in, then empty ones. The place of a row is
 * the place of its subnet in the list, so that problems find it.
 */
export function showSubnetRows(rows: readonly SubnetRow[], more = false): readonly SubnetRow[] {
  const filled = rows.filter((row) => !isEmpty(row));
  const wanted = Math.max(rows.length, rowsAtOnce) + (more ? rowsAtOnce : 0);
  const empty = Math.max(0, Math.min(wanted, maxRows) - filled.length);
  return [...filled, ...Array.from({ length: empty }, () => emptyRow)];
}

/** What was filled in, as the library takes it. */
export function toSubnets(rows: readonly SubnetRow[]) {
  return rows
    .filter((row) => !isEmpty(row))
    .map(({ name, address, netmask }) => ({
      name,
      address,
      netmask: netmask.trim() || undefined,
    }));
}
