import { describe, expect, it } from 'vitest';
import { bindFunction, type ManagementCaller } from '../../../adapters/management.ts';
import { FunctionClient } from '../../../adapters/management-function.ts';

function open() {
  const requests: { readonly operation: string; readonly person?: object }[] = [];
  const client = new FunctionClient({
    ask: async (_, text) => {
      requests.push(JSON.parse(text));
      return { outcome: { result: {} }, left_out: [], audit: [], audit_gaps: [] };
    },
    alias: 'portal',
    wait: async () => undefined,
  });
  return { requests, management: bindFunction(client) };
}

const actor = async () => 'https://login.example.com#ada';

describe('the name of a person behind a portal', () => {
  it('is sent with changes, and not with reads', async () => {
    const { requests, management } = open();
    const ada = management.forCaller({ actor, role: 'manager', name: 'Ada' });
    await ada.findClient('client_1');
    await ada.setClientEnabled('client_1', false, { ifVersion: 1 });
    const person = { actor: await actor(), role: 'manager' };
    expect(requests.map((request) => request.person)).toEqual([person, { ...person, name: 'Ada' }]);
  });

  it.each<[string, ManagementCaller]>([
    ['was not given', { actor }],
    ['is of no person', { name: 'Ada' }],
  ])('is not sent if it %s', async (_, caller) => {
    const { requests, management } = open();
    await management.forCaller(caller).setClientEnabled('client_1', false, { ifVersion: 1 });
    expect(JSON.stringify(requests)).not.toContain('name');
  });

  it('does not become that of another person', async () => {
    const { requests, management } = open();
    const grace = async () => 'https://login.example.com#grace';
    const other = management.forCaller({ actor, name: 'Ada' }).forCaller({ actor: grace });
    await other.setClientEnabled('client_1', false, { ifVersion: 1 });
    expect(JSON.stringify(requests)).not.toContain('Ada');
  });
});
