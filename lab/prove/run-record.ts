import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What stays when its stack is deleted. */
type Kept = 'table' | 'log group' | 'event bus' | 'policy' | 'bucket';

/** What a run makes. */
export interface Thing {
  readonly kind: Kept | 'stack' | 'key' | 'keys';
  /** Of `keys`: the deployment that their tag names. */
  readonly name: string;
  readonly awsRegion: string;
}

/** What a check has measured, e.g. milliseconds. */
export type Figures = Readonly<Record<string, string | number>>;

/** What AWS said to a check. */
export interface Answer {
  readonly result: 'passed' | 'failed' | 'not asked' | 'left to people';
  /** Why it was not asked, or what went wrong. */
  readonly reason?: string;
  readonly figures?: Figures;
}

/** What a run has made and learnt, in a file of its folder. */
export interface RunRecord {
  readonly folder: string;
  /** Of the deployment, and the beginning of every other name. */
  readonly name: string;
  readonly awsRegions: readonly [string, ...string[]];
  readonly startedAt: string;
  /** In the order in which they were made; what is known to be gone is not among them. */
  readonly things: Record<string, Thing & { stays?: string }>;
  readonly answers: Record<string, Answer>;
  readonly facts: Record<string, string>;
}

export const listThings = ({ things }: RunRecord) => Object.values(things);

const keyOf = ({ kind, name, awsRegion }: Thing): string => `${kind} ${name} ${awsRegion}`;

/** The file is whole at every moment. */
export function save(record: RunRecord): void {
  mkdirSync(record.folder, { recursive: true });
  const path = join(record.folder, 'run.json');
  const text = JSON.stringify(record, undefined, 2);
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/** @throws {Error} if the folder has no record. */
export function openRecord(folder: string): RunRecord {
  const text = readFileSync(join(folder, 'run.json'), 'utf8');
  return { ...(JSON.parse(text) as RunRecord), folder };
}

/**
 * Says what will be made. It must be called before AWS is asked for it, so that a run which ends at
 * any moment leaves nothing that the file does not name.
 */
export function intend(record: RunRecord, ...things: readonly Thing[]): void {
  for (const thing of things) record.things[keyOf(thing)] ??= thing;
  save(record);
}

/** Says that a thing is gone, or why it is not. */
export function settle(record: RunRecord, thing: Thing, stays?: string): void {
  if (stays === undefined) delete record.things[keyOf(thing)];
  else record.things[keyOf(thing)] = { ...thing, stays };
  save(record);
}
