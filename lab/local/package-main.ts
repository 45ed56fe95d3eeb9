import process from 'node:process';
import { runLocalCommand } from './local-command.ts';

const isStart = process.env['npm_lifecycle_event'] === 'start';

/** The command of the package, often the script `start` of the project that installed it. */
await runLocalCommand({
  name: isStart ? 'npm start' : 'authorization-server-local',
  withFlags: isStart ? 'npm start --' : 'npx --no -- authorization-server-local',
  directory: process.cwd(),
});
