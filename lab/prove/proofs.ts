import { eventually } from './aws.ts';
import { checks } from './checks.ts';
import table from './proofs.json' with { type: 'json' };
import { type Answer, type RunRecord, save } from './run-record.ts';
import type { Check, World } from './world.ts';

/** One thing that only AWS can show. */
export interface Proof {
  readonly id: string;
  /** A word for what it belongs to. */
  readonly about: string;
  /** What is seen to be true when it has passed. */
  readonly shows: string;
  /** What there must be, in addition to an account with one region. */
  readonly needs?: string;
  /** Regions that it needs, if the command can ask it. */
  readonly regions?: number;
  /** How the emulator is asked, if it can be, which proves the check and not AWS. */
  readonly emulator?: string;
  /** Minutes that it takes in AWS: half a minute if left out. */
  readonly minutes?: number;
  /** The command cannot ask the others. */
  readonly check?: Check | undefined;
}

/**
 * Everything that only AWS can show, in the order in which it is asked: what disturbs nothing first,
 * and what ends the deployment last. docs/deployment-test.md has this table.
 */
export const proofs: readonly Proof[] = table.map((one) => ({ ...one, check: checks[one.id] }));

/** Why a run did not ask; undefined if it could. */
function whyNot({ check, needs, regions = 1, emulator }: Proof, has: number, isEmulator: boolean) {
  if (check === undefined || regions > has) return `it needs ${needs}`;
  return isEmulator && emulator === undefined ? 'the emulator cannot show it' : undefined;
}

/** The answer to what a run does not ask. */
export const leaveOut = ({ check, needs }: Proof, reason: string): Answer =>
  check === undefined
    ? { result: 'left to people', reason: `it needs ${needs}` }
    : { result: 'not asked', reason };

async function ask({ check, minutes = 1 }: Proof, world: World): Promise<Answer> {
  const startedAt = world.clock();
  const within = <T>(what: string, answer: () => Promise<T | undefined | false>) =>
    eventually(world, what, minutes * 2, answer);
  try {
    const figures = await check?.({ ...world, within });
    const seconds = Math.round((world.clock() - startedAt) / 1000);
    return { result: 'passed', figures: { 'took s': seconds, ...figures } };
  } catch (error) {
    const reason = String(error).replaceAll(world.client.clientSecret, '<secret>');
    return { result: 'failed', reason };
  }
}

/** Asks one thing after another. One that fails keeps no other from being asked. */
export async function askAll(
  world: World,
  record: RunRecord,
  { isEmulator, say }: { readonly isEmulator: boolean; readonly say: (line: string) => void },
  all: readonly Proof[] = proofs,
): Promise<void> {
  const has = world.otherTokenUrl === undefined ? 1 : 2;
  for (const proof of all) {
    const reason = whyNot(proof, has, isEmulator);
    if (reason === undefined) say(`asks: ${proof.id}`);
    const answer = reason === undefined ? await ask(proof, world) : leaveOut(proof, reason);
    const differs = isEmulator && answer.result === 'passed' && proof.emulator !== 'as on AWS';
    const how = differs ? { reason: `emulator: ${proof.emulator}` } : {};
    record.answers[proof.id] = { ...answer, ...how };
    save(record);
    say(`${answer.result}: ${proof.id}${answer.result === 'failed' ? `: ${answer.reason}` : ''}`);
  }
}
