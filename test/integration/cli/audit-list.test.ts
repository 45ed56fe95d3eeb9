import { describe, expect, it } from 'vitest';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json } = useLocalCli();

interface Entry {
  readonly subject: string;
  readonly action: string;
  readonly outcome: string;
}

async function entries(...options: readonly string[]): Promise<readonly Entry[]> {
  return (await json(['audit', 'list', ...options]))['items'] as readonly Entry[];
}

describe('authctl audit list', () => {
  it('shows who changed what, the newest first, and finds it by what it was about', async () => {
    const args = ['--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];
    const client = await json(['client', 'create', ...args]);
    const id = String(client['client_id']);
    const secret = await json(['client-secret', 'create', id]);
    await json(['client', 'disable', id]);

    const about = await entries('--subject', id);
    expect(about.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'client.disable done',
      'client.create done',
    ]);
    expect((await entries('--action', 'client_secret')).map(({ subject }) => subject)).toEqual([
      secret['secret_id'],
    ]);
    expect(await entries('--actor', ':user/')).toHaveLength(3);
    expect(await entries('--actor', 'nobody')).toEqual([]);
    expect(await entries('--unfinished')).toEqual([]);
    expect(await entries('--day', '2020-01-01')).toEqual([]);
    expect(JSON.stringify(await entries())).not.toContain(String(secret['client_secret']));
  });

  it('is a table for a person', async () => {
    const { stdout } = await authctl(['audit', 'list']);
    expect(stdout).toMatch(/^time +actor +action +subject +outcome/i);
  });

  it.each(['yesterday', '2026-13-01', '2026-02-30', '20261120'])(
    'refuses the day %s',
    async (day) => {
      const run = await authctl(['audit', 'list', '--day', day]);
      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain(`--day: received "${day}"; allowed: a UTC day`);
    },
  );
});
