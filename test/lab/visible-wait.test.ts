import { expect, it, vi } from 'vitest';
import { sayProgress } from '../../lab/support/visible-wait.ts';

it('a wait is seen at once, then every ten seconds until it ends', () => {
  vi.useFakeTimers();
  const lines = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const end = sayProgress('Installing', '1 to 4 minutes');
  vi.advanceTimersByTime(20_000);
  end();
  vi.advanceTimersByTime(60_000);
  const printed = lines.mock.calls.map(([text]) => text);
  lines.mockRestore();
  vi.useRealTimers();
  expect(printed).toEqual([
    'Installing: 1 to 4 minutes.\n',
    'Installing: 10 s of 1 to 4 minutes\n',
    'Installing: 20 s of 1 to 4 minutes\n',
  ]);
});
