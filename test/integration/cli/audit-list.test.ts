import { describe, expect, it } from 'vitest';
import { createManagement } from '../../../adapters/management.ts';
import { readRunConfig } from '../../../lab/local/state.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();

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
      'client_secret.create done',
      'client.create done',
    ]);
    const history = (await json(['audit', 'history', id]))['items'] as readonly Entry[];
    expect(history).toEqual(about.map((entry) => ({ ...entry, region: 'slc' })));
    const own = await json(['audit', 'history', String(secret['secret_id'])]);
    expect(own['items']).toHaveLength(1);
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
      const history = await authctl(['audit', 'history', 'x', '--since', day]);
      expect(history.exitCode).toBe(2);
      expect(history.stderr).toContain(`--since: received "${day}"; allowed: a UTC day`);
    },
  );
});

describe('the name of a person', () => {
  const ada = 'https://login.example.com#ada';

  it('is next to the subject, until it is erased for good', async () => {
    const { aws, paths } = service();
    const config = readRunConfig(paths);
    const portal = createManagement({ config, aws, alias: 'portal' });
    const trunkGroups = ['tg'];
    const person = portal.forCaller({
      actor: async () => ada,
      role: 'manager',
      name: 'Ada Lovelace',
      trunkGroups,
    });
    const create = () =>
      person.createClient({ name: 'C', serviceTrunkGroup: 'tg', scopes: ['calls:view'] });
    const { client } = await create();
    const [entry] = (await json(['audit', 'history', client.clientId]))['items'] as object[];
    expect(entry).toMatchObject({ actor: ada, actor_name: 'Ada Lovelace' });
    expect((await authctl(['audit', 'list'])).stdout).toMatch(/ACTOR +NAME +ACTION/i);

    expect(await json(['audit', 'erase-name', ada, '--yes'])).toEqual({
      subject: ada,
      erased: true,
    });
    await create();
    const shown = JSON.stringify(await entries('--actor', ada));
    expect(shown).toContain(ada);
    expect(shown).not.toContain('Lovelace');
    const [erased] = await entries('--action', 'person_name');
    expect(erased).toMatchObject({ subject: ada, outcome: 'done' });
  });
});
