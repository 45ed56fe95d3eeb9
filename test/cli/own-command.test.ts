import { describe, expect, it } from 'vitest';
import { commandFor } from '../../cli/deployment.ts';

const io = { env: {} };

describe('the command of a hint', () => {
  it.each([
    [{}, 'authctl'],
    [{ local: true }, 'authctl --local'],
    [{ config: 'my config.json' }, "authctl --config 'my config.json'"],
    [{ config: 'a.json', through: 'tables' }, 'authctl --config a.json --through tables'],
  ])('is for the same deployment: %j', (options, command) => {
    expect(commandFor(io, options)).toBe(command);
  });

  it('downloads nothing if npx ran the one before', () => {
    const npx = { env: { npm_command: 'exec' } };
    expect(commandFor(npx, { local: true })).toBe('npx --no -- authctl --local');
  });
});
