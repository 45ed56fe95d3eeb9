import { formatRow } from '../../support/generated-parts.ts';
import { type ClientRow, calls } from './check-client.ts';
import { clients, type TokenClient } from './clients.ts';
import type { Table } from './table.ts';

export function clientTitle({ name, language }: TokenClient): string {
  return `${name} (${language})`;
}

export const clientTable: Table = {
  name: 'clients',
  columns: [
    'client',
    'as it comes',
    'needs',
    `token requests of ${calls} calls, tokens of an hour`,
    'tokens of a minute, as it comes',
    'tokens of a minute, with what it needs',
    'requests with a wrong secret',
  ],
  titles: clients.map(clientTitle),
};

export function formatClient({ client, ...row }: ClientRow): string {
  return formatRow([
    clientTitle(client),
    row.asItComes,
    client.needs ?? 'nothing',
    `${row.hour}`,
    `${row.minuteAsItComes ?? '–'}`,
    `${row.minute}`,
    `${row.wrongSecret}`,
  ]);
}
