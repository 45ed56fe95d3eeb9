import type { CommandGroup } from '../command-spec.ts';
import { list } from './signing-key-list.ts';
import { history, plan } from './signing-key-plan.ts';
import { rotate } from './signing-key-rotate.ts';
import { withdraw } from './signing-key-withdraw.ts';

export const signingKeyCommands: CommandGroup = {
  name: 'signing-key',
  summary: 'Watch signing keys, rotate them, and withdraw a compromised one',
  commands: [list, plan, history, rotate, withdraw],
};
