import type { CommandGroup } from '../command-spec.ts';
import { copy } from './table-copy.ts';
import { restore } from './table-restore.ts';

export const tableCommands: CommandGroup = {
  name: 'table',
  summary: 'Restore or copy the items of whole tables',
  commands: [restore, copy],
};
