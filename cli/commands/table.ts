import type { CommandGroup } from '../command-spec.ts';
import { copy } from './table-copy.ts';
import { restore } from './table-restore.ts';

export const tableCommands: CommandGroup = {
  name: 'table',
  summary: 'Bring back, or move, the items of whole tables',
  commands: [restore, copy],
};
