import { type ScopeDefinition, scopeName } from '../../contract/scopes.ts';
import { type CommandGroup, command } from '../command-spec.ts';

const list = command({
  name: 'list',
  summary: 'List the scopes that clients may have, from the deployment config',
  examples: ['scope list'],
  run: async (cli) => {
    const { scopes } = cli.deployment().config;
    cli.output.printList<ScopeDefinition>(scopes, {
      view: (scope) => ({
        scope: scopeName(scope),
        service: scope.service,
        permission: scope.permission,
        description: scope.description,
      }),
      id: scopeName,
      columns: {
        scope: scopeName,
        service: (scope) => scope.service,
        permission: (scope) => scope.permission,
        description: (scope) => scope.description,
      },
      none: 'There are no scopes.',
    });
  },
});

export const scopeCommands: CommandGroup = {
  name: 'scope',
  summary: 'Show the catalogue of scopes',
  commands: [list],
};
