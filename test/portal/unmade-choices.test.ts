import { describe, expect, it } from 'vitest';
import { createPortalWorld, type PortalWorld } from './portal-world.ts';

type Form = Readonly<Record<string, string>>;

interface UnmadeChoice {
  readonly path: (world: PortalWorld) => string;
  readonly form: Form;
  /** The field that is typed into, and the choice that it belongs to. */
  readonly typed: Form;
  readonly choice: readonly [name: string, value: string];
  /** Text of the refusal. */
  readonly problem: string;
}

const day = { expiryDate: '2028-03-31' };
const dayProblem = 'Received the day “2028-03-31” without the choice “On a day”';
const secrets = ({ clientId }: PortalWorld) => `/clients/${clientId}/secrets`;
const rotation = (world: PortalWorld) => `${secrets(world)}/rotate`;
const ownSecret = (world: PortalWorld) => `${secrets(world)}/${world.secretId}`;

/** Forms in which a field belongs to a choice. The choice of each row is another one. */
const rows: readonly (readonly [name: string, UnmadeChoice])[] = [
  ...['', 'never', 'days-30'].map(
    (expiry) =>
      [
        `a new secret, “${expiry}”`,
        {
          path: secrets,
          form: { expiry, requestId: 'request-1' },
          typed: day,
          choice: ['expiry', 'date'],
          problem: dayProblem,
        },
      ] as const,
  ),
  ...['', 'keep', 'never'].map(
    (expiry) =>
      [
        `a secret's end, “${expiry}”`,
        {
          path: ownSecret,
          form: { expiry },
          typed: day,
          choice: ['expiry', 'date'],
          problem: dayProblem,
        },
      ] as const,
  ),
  [
    'the end of a rotation’s new secret',
    {
      path: rotation,
      form: { expiry: 'never', overlap: '1d', requestId: 'request-1' },
      typed: day,
      choice: ['expiry', 'date'],
      problem: dayProblem,
    },
  ],
  [
    'the overlap of a rotation',
    {
      path: rotation,
      form: { expiry: 'never', overlap: '7d', requestId: 'request-1' },
      typed: { overlapOther: '12h' },
      choice: ['overlap', 'other'],
      problem: 'Received “12h” without the choice “After another time”',
    },
  ],
];

describe.each(rows)('a field without its choice: %s', (_, { path, form, typed, ...row }) => {
  it('is refused, and nothing is changed', async () => {
    const world = await createPortalWorld();
    const sent = { ...form, ifVersion: String(world.clients.get(world.clientId)?.version) };
    const before = JSON.stringify([...world.clients]);
    const records = world.audit.length;
    const response = await world.post(path(world), { ...sent, ...typed });
    const text = await response.text();
    expect(response.status).toBe(422);
    expect(text).toContain(row.problem);
    expect(JSON.stringify([...world.clients])).toBe(before);
    expect(world.audit).toHaveLength(records);
    const [name, value] = row.choice;
    expect(text).toMatch(new RegExp(`name="${name}" value="${value}" checked`));
    for (const content of Object.values(typed)) expect(text).toContain(`value="${content}"`);
  });

  it('is accepted with the choice', async () => {
    const world = await createPortalWorld();
    const sent = { ...form, ifVersion: String(world.clients.get(world.clientId)?.version) };
    const [name, value] = row.choice;
    const response = await world.post(path(world), { ...sent, ...typed, [name]: value });
    expect([200, 303]).toContain(response.status);
  });
});

it.each([
  ['externalClientId', 'client-there'],
  ['requiredClaims', 'repository_id=1'],
])('a new client with %s and no provider is refused', async (field, value) => {
  const world = await createPortalWorld();
  const response = await world.post('/clients', {
    name: 'Dialer',
    serviceTrunkGroup: 'tg-1001',
    tokenLifetime: '1h',
    scopes: 'calls:view',
    [field]: value,
  });
  expect(response.status).toBe(422);
  expect(world.clients.size).toBe(1);
});
