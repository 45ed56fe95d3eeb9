import { expect, it } from 'vitest';
import { commandSteps, listCommands } from '../../../lab/suites/deploy/command-steps.ts';

it('the deployment test runs every command of authctl', () => {
  const run = new Set(commandSteps.flat().map(({ command }) => command));
  expect([...run].toSorted()).toEqual(listCommands().toSorted());
});
