import { syntheticClientId } from '../../../contract/synthetic-check.ts';
import { addSubnet } from '../../../core/management/api-key-subnets.ts';
import {
  createApiKey,
  deleteApiKey,
  renameApiKey,
  setApiKeyEnabled,
} from '../../../core/management/api-keys.ts';
import {
  deleteClient,
  setClientEnabled,
  updateClient,
} from '../../../core/management/change-client.ts';
import {
  createClientSecret,
  deleteClientSecret,
  rotateClientSecret,
} from '../../../core/management/client-secrets.ts';
import { createClient } from '../../../core/management/create-client.ts';
import type { IfVersion } from '../../../core/management/if-version.ts';
import { revokeClientTokens } from '../../../core/management/revoke-client-tokens.ts';
import { mintSecret } from '../../../core/synthetic-check/mint-secret.ts';
import { Random } from '../../../lab/suites/rotation/simulation/random.ts';
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
  ({ world: { context }, random }) =>
    createClient(context, {
      ...owner,
      scopes: ['messaging:view'],
      idempotencyKey: random.pick(['client-one', 'client-two']),
    }),
  ({ world: { context } }) =>
    createClient(context, {
      ...owner,
      scopes: ['messaging:view'],
      provider: providerIssuer,
      externalClientId: 'erp',
      requiredClaims: [{ claim: 'tenant', values: ['one'] }],
    }),
  ({ world: { context }, random }) =>
    createApiKey(context, {
      ...owner,
      idempotencyKey: random.pick(['key-number-1', 'key-number-2']),
    }),
  ({ world: { context } }) => mintSecret('slc', context, Math.floor(context.clock() / 1000)),
];

const clientChanges: readonly Change[] = [
  ({ world: { context } }, id, options) =>
    updateClient(context, id, { addScopes: ['messaging:manage'], ...options }),
  ({ world: { context }, random }, id, options) =>
    setClientEnabled(context, id, random.chance(0.5), options),
  ({ world: { context } }, id, options) => revokeClientTokens(context, id, options),
  ({ world: { context } }, id, options) =>
    createClientSecret(context, id, { idempotencyKey: 'secret-one', ...options }),
  ({ world: { context } }, id, options) =>
    rotateClientSecret(context, id, { overlap: 0, ...options }),
  ({ world }, id, options) =>
    deleteClientSecret(
      world.context,
      id,
      world.clients.get(id)?.secrets[0]?.secretId ?? 'secret_0000000000000000000000',
      options,
    ),
  ({ world: { context } }, id, options) => deleteClient(context, id, options),
  ({ world: { context } }, id, options) => deleteClient(context, id, options),
];

const keyChanges: readonly Change[] = [
  ({ world: { context } }, id, options) => renameApiKey(context, id, 'Other', options),
  ({ world: { context }, random }, id, options) =>
    setApiKeyEnabled(context, id, random.chance(0.5), options),
  ({ world: { context } }, id, options) =>
    addSubnet(context, id, { name: 'office', address: '192.0.2.0/24', ...options }),
  ({ world: { context } }, id, options) => deleteApiKey(context, id, options),
  ({ world: { context } }, id, options) => deleteApiKey(context, id, options),
];

class LivesPlay {
  readonly world: LivesWorld;
  readonly random: Random;
  readonly #forms: Form[] = [];

  constructor(seed: number, counts: LivesCounts) {
    this.random = Random.for(seed, 'lives');
    this.world = new LivesWorld(this.random, counts);
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
      ? (play, ...rest) => deleteClient(play.world.context, ...rest)
      : change;
    world.start(
      () => wanted(this, id, form === undefined ? {} : { ifVersion: form.version }),
      form,
    );
  }
}

const eventsPerHistory = 400;

/** @returns what was wrong in a history. */
export async function playLives(seed: number, counts: LivesCounts): Promise<readonly string[]> {
  const play = new LivesPlay(seed, counts);
  for (let count = 0; count < eventsPerHistory; count += 1) {
    if (play.world.running < 6 && play.random.chance(0.3)) play.begin();
    await play.world.step();
  }
  await play.world.finish();
  return play.world.violations;
}
