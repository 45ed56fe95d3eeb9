import { expect, it } from 'vitest';
import { signingKeyCommands } from '../../cli/commands/signing-key.ts';
import { RefusedError, UnavailableError } from '../../core/errors.ts';

it('signing-key rotate goes on past regions that must wait or do not answer, and says so', async () => {
  const asked: string[] = [];
  const said: unknown[] = [];
  const ask = async (region: string) => {
    asked.push(region);
    if (region === 'slc') throw new UnavailableError('Lambda does not answer');
    if (region === 'dfw') throw new RefusedError('not yet');
    return { region, kid: 'k', done: [], refused: [], next: [] };
  };
  const regions = Object.fromEntries(
    ['slc', 'dfw', 'pit'].map((id) => [id, { awsRegion: `of-${id}` }]),
  );
  const cli = {
    signingKeys: async () => ({ ask }),
    deployment: () => ({ config: { regions, signingAlgorithms: ['RS256'] } }),
    answerNo: () => said.push('exit code 1'),
    output: {
      warn: (text: string) => said.push(text),
      print: ({ quiet }: { quiet: unknown }) => said.push(quiet),
    },
  };
  const rotate = signingKeyCommands.commands.find(({ name }) => name === 'rotate');
  await rotate?.run(cli as never, [] as never, {} as never);
  expect(asked).toEqual(['slc', 'dfw', 'pit']);
  expect(said).toEqual([
    'slc: Lambda does not answer',
    'exit code 1',
    'dfw: refused: not yet',
    'exit code 1',
    ['k'],
  ]);
});
