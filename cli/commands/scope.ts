import { type ScopeDefinition, scopeName } from '../../contract/scopes.ts';
import { type CommandGroup, command } from '../command-spec.ts';

const list = command({
  name: 'list',
  summary: 'List the scopes that clients may have, from the deployment config',
  examples: ['scope list'],
  run: async (cli) => {
    const { scopes } = cli.deployment().config;
    const row = (scope: ScopeDefinition) => ({
      scope: scopeName(scope),
      service: scope.service,
      permission: scope.permission,
      description: scope.description,
    });
    cli.output.printList(scopes, { view: row, id: scopeName, row, none: 'There are no scopes.' });
  },
});

export const scopeCommands: CommandGroup = {
  name: 'scope',
  summary: 'Show the catalogue of scopes',
  commands: [list],
};
