import { bindManagement, type Management } from '../../../adapters/management.ts';
import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { IfVersion } from '../../../core/management/if-version.ts';
import { mintSecret } from '../../../core/synthetic-check/run-synthetic-check.ts';
import { Random } from '../../../lab/suites/rotation/simulation/random.ts';
import type { Way } from '../../adapters/management/world.ts';
import { createTestFunction } from '../management-function.ts';
import { type LivesCounts, LivesWorld, providerIssuer, type StateNumber } from './lives-world.ts';

/** A page that someone opened, with what it showed. */
interface Form {
  readonly id: string;
  readonly state: StateNumber;
  readonly version: number;
}

type Change = (play: LivesPlay, id: string, options: IfVersion) => Promise<unknown>;

const owner = { name: 'Billing', serviceTrunkGroup: 'tg-1' };

/** Ids repeat: by idempotency key, by the provider's client, and those of the synthetic check. */
const creations: readonly ((play: LivesPlay) => Promise<unknown>)[] = [
  ({ management, random }) =>
    management.createClient({
      ...owner,
      scopes: ['messaging:view'],
      idempotencyKey: random.pick(['client-one', 'client-two']),
    }),
  ({ management }) =>
    management.createClient({
      ...owner,
      scopes: ['messaging:view'],
      provider: providerIssuer,
      externalClientId: 'erp',
      requiredClaims: [{ claim: 'tenant', values: ['one'] }],
    }),
  ({ management, random }) =>
    management.createApiKey({
      ...owner,
      idempotencyKey: random.pick(['key-number-1', 'key-number-2']),
    }),
  ({ world: { context } }) => mintSecret('slc', context, Math.floor(context.clock() / 1000)),
];

const clientChanges: readonly Change[] = [
  ({ management }, id, options) =>
    management.updateClient(id, { addScopes: ['messaging:manage'], ...options }),
  ({ management, random }, id, options) =>
    management.setClientEnabled(id, random.chance(0.5), options),
  ({ management }, id, options) => management.revokeClientTokens(id, options),
  ({ management }, id, options) =>
    management.createClientSecret(id, { idempotencyKey: 'secret-one', ...options }),
  ({ management }, id, options) => management.rotateClientSecret(id, { overlap: 0, ...options }),
  ({ management, world }, id, options) =>
    management.deleteClientSecret(
      id,
      world.clients.get(id)?.secrets[0]?.secretId ?? 'secret_0000000000000000000000',
      options,
    ),
  ({ management }, id, options) => management.deleteClient(id, options),
  ({ management }, id, options) => management.deleteClient(id, options),
];

const keyChanges: readonly Change[] = [
  ({ management }, id, options) => management.updateApiKey(id, { name: 'Other', ...options }),
  ({ management, random }, id, options) =>
    management.updateApiKey(id, {
      expiresAt: random.chance(0.5) ? null : 4_000_000_000,
      ...options,
    }),
  ({ management, random }, id, options) =>
    management.updateApiKey(id, {
      scopes: random.chance(0.3) ? null : [random.pick(['messaging:view', 'messaging:manage'])],
      ...options,
    }),
  ({ management, random }, id, options) =>
    management.rotateApiKey(id, {
      overlap: random.pick([0, 60, 3600]),
      idempotencyKey: random.pick(['rotation-one', 'rotation-two']),
      ...options,
    }),
  ({ management }, id, options) => management.updateApiKey(id, { endOldValues: true, ...options }),
  ({ management, random }, id, options) =>
    management.setApiKeyEnabled(id, random.chance(0.5), options),
  ({ management }, id, options) =>
    management.addSubnet(id, { name: 'office', address: '192.0.2.0/24', ...options }),
  ({ management }, id, options) => management.deleteApiKey(id, options),
  ({ management }, id, options) => management.deleteApiKey(id, options),
];

/** The management function, whose answers get lost and which Lambda sometimes does not invoke. */
function askUnreliably(world: LivesWorld, random: Random, counts: LivesCounts): Management {
  const { ask, through } = createTestFunction(world.context);
  return through('administrator', {
    // Each operation goes to the alias of its operators, whom the limits of trunk groups bind.
    alias: undefined,
    wait: () => world.turn(),
    ask: async (alias, request) => {
      await world.turn();
      if (random.chance(0.05)) {
        counts.throttled += 1;
        const cause = Object.assign(new Error('throttled'), { name: 'TooManyRequestsException' });
        throw new UnavailableError('Lambda', { cause });
      }
      const answer = await ask(alias, request);
      if (!random.chance(0.05)) return answer;
      counts.lostAnswers += 1;
      throw new UnavailableError('Lambda does not answer');
    },
  });
}

class LivesPlay {
  readonly world: LivesWorld;
  readonly management: Management;
  readonly random: Random;
  readonly #forms: Form[] = [];

  constructor(seed: number, counts: LivesCounts, way: Way) {
    this.random = Random.for(seed, 'lives');
    this.world = new LivesWorld(this.random, counts);
    this.management =
      way === 'tables'
        ? bindManagement(this.world.context)
        : askUnreliably(this.world, this.random, counts);
  }

  begin(): void {
    const { world, random } = this;
    const records = [...world.clients.values(), ...world.apiKeys.values()];
    if (records.length === 0 || random.chance(0.3)) {
      const create = random.pick(creations);
      world.start(() => create(this));
      return;
    }
    const record = random.pick(records);
    const id = 'keyId' in record ? record.keyId : record.clientId;
    if (random.chance(0.2)) {
      this.#forms.push({ id, state: world.stateOf(id), version: record.version });
      return;
    }
    const form = random.chance(0.3) ? this.#forms.at(-random.integer(1, 8)) : undefined;
    this.#change(form?.id ?? id, form);
  }

  #change(id: string, form: Form | undefined): void {
    const { world, random } = this;
    const change = random.pick(id.startsWith('key_') ? keyChanges : clientChanges);
    // The check writes its own client; operators can only stop it.
    const isSynthetic = id === syntheticClientId('slc');
    const wanted: Change = isSynthetic
      ? (play, ...rest) => play.management.deleteClient(...rest)
      : change;
    world.start(
      () => wanted(this, id, form === undefined ? {} : { ifVersion: form.version }),
      form,
    );
  }
}

const eventsPerHistory = 400;

/** @returns what was wrong in a history. */
export async function playLives(
  seed: number,
  counts: LivesCounts,
  way: Way,
): Promise<readonly string[]> {
  const play = new LivesPlay(seed, counts, way);
  for (let count = 0; count < eventsPerHistory; count += 1) {
    if (play.world.running < 6 && play.random.chance(0.3)) play.begin();
    await play.world.step();
  }
  await play.world.finish();
  return play.world.violations;
}
