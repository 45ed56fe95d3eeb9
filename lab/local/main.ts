import { clone } from './clone.ts';
import { runLocalCommand } from './local-command.ts';

await runLocalCommand(clone);
