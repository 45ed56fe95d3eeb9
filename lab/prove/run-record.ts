import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a thing is found again and deleted. `keys`: those in KMS with the tag of a deployment. */
export type ThingKind =
  | 'stack'
  | 'table'
  | 'log group'
  | 'event bus'
  | 'policy'
  | 'bucket'
  | 'keys';

/** What a run makes. */
export interface Thing {
  readonly kind: ThingKind;
  readonly name: string;
  readonly awsRegion: string;
}

/** A thing of the record, and what became of it: gone, or why it could not be deleted. */
type RecordedThing = Thing & { gone?: boolean; stays?: string };

/** What a check has measured, e.g. milliseconds. */
export type Figures = Readonly<Record<string, string | number>>;

/** What AWS said to a check. */
export interface Answer {
  readonly result: 'passed' | 'failed' | 'not asked';
  /** Why not, or what went wrong. */
  readonly reason?: string;
  readonly figures?: Figures;
}

interface Contents {
  /** Of the deployment, and the beginning of every other name. */
  readonly name: string;
  readonly awsRegions: readonly string[];
  readonly startedAt: string;
  readonly things: RecordedThing[];
  readonly answers: Record<string, Answer>;
  readonly facts: Record<string, string>;
}

/**
 * What a run has made, in a file of its folder. Each thing is in the file before AWS is asked for it,
 * so a run that ends at any moment leaves nothing that the file does not name.
 */
export class RunRecord {
  readonly folder: string;
  readonly contents: Contents;

  constructor(folder: string, contents: Contents) {
    this.folder = folder;
    this.contents = contents;
  }

  static create(folder: string, name: string, awsRegions: readonly string[]): RunRecord {
    mkdirSync(folder, { recursive: true });
    const startedAt = new Date().toISOString();
    const empty = { things: [], answers: {}, facts: {} };
    return new RunRecord(folder, { name, awsRegions, startedAt, ...empty });
  }

  /** @throws {Error} if the folder has no record. */
  static open(folder: string): RunRecord {
    const text = readFileSync(join(folder, 'run.json'), 'utf8');
    return new RunRecord(folder, JSON.parse(text) as Contents);
  }

  /** Those that are not known to be gone, in the order in which they were made. */
  get things(): readonly Readonly<RecordedThing>[] {
    return this.contents.things.filter(({ gone }) => gone !== true);
  }

  /** Says what will be made. It must be called before it is made. */
  intend(...things: readonly Thing[]): void {
    for (const thing of things) {
      const known = this.#find(thing);
      if (known === undefined) this.contents.things.push({ ...thing });
      else known.gone = false;
    }
    this.#write();
  }

  /** Says that a thing is gone, or why it is not. */
  settle(thing: Thing, stays?: string): void {
    Object.assign(this.#find(thing) ?? {}, { gone: stays === undefined, stays });
    this.#write();
  }

  answer(id: string, answer: Answer): void {
    this.contents.answers[id] = answer;
    this.#write();
  }

  note(facts: Readonly<Record<string, string>>): void {
    Object.assign(this.contents.facts, facts);
    this.#write();
  }

  #find(thing: Thing): RecordedThing | undefined {
    const keyOf = ({ kind, name, awsRegion }: Thing) => JSON.stringify([kind, name, awsRegion]);
    return this.contents.things.find((one) => keyOf(one) === keyOf(thing));
  }

  /** The file is whole at every moment. */
  #write(): void {
    const path = join(this.folder, 'run.json');
    const text = JSON.stringify(this.contents, undefined, 2);
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
}
