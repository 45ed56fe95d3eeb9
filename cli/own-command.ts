import { quoteWord } from '../contract/shell-word.ts';
import type { CliIo } from './cli-io.ts';
import type { DeploymentOptions } from './deployment.ts';

type Environment = Pick<CliIo, 'env'>;

/** The command that the person ran, in the form that never downloads a package of the same name. */
export function ownCommand({ env }: Environment): string {
  return env['npm_command'] === 'exec' ? 'npx --no -- authctl' : 'authctl';
}

/** The same with the options that select the deployment: what follows is for that one. */
export function commandFor(io: Environment, { local, config, through }: DeploymentOptions): string {
  return [
    ownCommand(io),
    ...(local === true ? ['--local'] : []),
    ...(config === undefined ? [] : ['--config', quoteWord(config)]),
    ...(through === undefined ? [] : ['--through', quoteWord(through)]),
  ].join(' ');
}
