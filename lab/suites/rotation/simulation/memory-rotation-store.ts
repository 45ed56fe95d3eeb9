import type { RegionId } from '../../../../contract/regions.ts';
import { ConflictError } from '../../../../core/errors.ts';
import type {
  AlgorithmChoice,
  Heartbeat,
  KeyIntent,
  RotationStore,
} from '../../../../core/key-rotation/rotation-ports.ts';
import type { SigningKey } from '../../../../core/signing-key/signing-key.ts';
/** The table as one strongly consistent map, with what a lagging reader sees of it. */
export class MemoryRotationStore implements RotationStore {
  readonly #now: () => number;
  readonly #keys = new Map<string, SigningKey>();
  readonly #intents = new Map<string, KeyIntent>();
  readonly #heartbeats = new Map<string, Heartbeat>();
  /** What was in the table from a time on, the earliest first. */
  readonly #changes: { readonly at: number; readonly keys: readonly SigningKey[] }[] = [];
  #choice: AlgorithmChoice | undefined;
  /** Runs after each change of a key. */
  onChange: (key: SigningKey, before: SigningKey | undefined) => void = () => {};
  /** Runs after each run of a region's rotation. */
  onHeartbeat: (regionId: RegionId) => void = () => {};

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The keys as they were at a time. The same array stands for the same state. */
  listAsOf(time: number): readonly SigningKey[] {
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const change = this.#changes[index];
      if (change !== undefined && change.at <= time) return change.keys;
    }
    return [];
  }

  get keys(): readonly SigningKey[] {
    return this.#changes.at(-1)?.keys ?? [];
  }

  get intents(): readonly KeyIntent[] {
    return [...this.#intents.values()];
  }

  get choice(): AlgorithmChoice | undefined {
    return this.#choice;
  }

  find(kid: string): SigningKey | undefined {
    return this.#keys.get(kid);
  }

  #write(key: SigningKey): void {
    const before = this.#keys.get(key.kid);
    this.#keys.set(key.kid, Object.freeze({ ...key }));
    this.#changes.push({ at: this.#now(), keys: [...this.#keys.values()] });
    this.onChange(key, before);
  }

  listSigningKeys = async () => this.keys;

  createSigningKey = async (key: SigningKey) => {
    if (this.#keys.has(key.kid)) throw new ConflictError('it is recorded');
    this.#write(key);
  };

  replaceSigningKey = async (key: SigningKey) => {
    if (this.#keys.get(key.kid)?.version !== key.version - 1) throw new ConflictError('changed');
    this.#write(key);
  };

  listKeyIntents = async () => this.intents;

  putKeyIntent = async (intent: KeyIntent) => {
    const { version = 0 } = this.#intents.get(intent.slot) ?? {};
    if (version !== intent.version - 1) throw new ConflictError('changed');
    this.#intents.set(intent.slot, intent);
  };

  listHeartbeats = async () => [...this.#heartbeats.values()];

  putHeartbeat = async (heartbeat: Heartbeat) => {
    this.#heartbeats.set(heartbeat.regionId, heartbeat);
    this.onHeartbeat(heartbeat.regionId);
  };

  findAlgorithmChoice = async () => this.#choice;

  putAlgorithmChoice = async (choice: AlgorithmChoice) => {
    this.#choice = choice;
  };

  listCanaryRuns = async () => [];
  putCanaryRun = async () => {};
}
