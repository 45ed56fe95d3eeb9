import { type Account, clean } from './clean.ts';
import { type Proof, proofs } from './proofs.ts';
import type { Answer, RunRecord } from './run-record.ts';
import type { Check, World } from './world.ts';

/** How a run is played. */
export interface RunOptions {
  readonly isEmulator: boolean;
  readonly say: (line: string) => void;
}

/** Why a run cannot ask; undefined if it can. */
function whyNot({ check, needs, regions = 1, emulator }: Proof, has: number, isEmulator: boolean) {
  if (check === undefined || regions > has) return `it needs ${needs}`;
  return isEmulator && emulator !== true ? 'the emulator cannot show it' : undefined;
}

async function ask(check: Check, world: World): Promise<Answer> {
  try {
    return { result: 'passed', figures: await check(world) };
  } catch (error) {
    return { result: 'failed', reason: String(error) };
  }
}

/** Asks one thing after another. One that fails keeps no other from being asked. */
export async function askAll(
  world: World,
  record: RunRecord,
  { isEmulator, say }: RunOptions,
  all: readonly Proof[] = proofs,
): Promise<void> {
  const has = world.otherTokenUrl === undefined ? 1 : 2;
  for (const proof of all) {
    const reason = whyNot(proof, has, isEmulator);
    if (reason === undefined) say(`asks: ${proof.id}`);
    const answer: Answer =
      reason === undefined && proof.check !== undefined
        ? await ask(proof.check, world)
        : { result: 'not asked', reason };
    record.answer(proof.id, answer);
    const why = answer.result === 'failed' ? `: ${answer.reason}` : '';
    say(`${answer.result}: ${proof.id}${why}`);
  }
}

/** Deploys, asks and deletes: what fails does not keep the rest from being deleted. */
export async function runAll(
  record: RunRecord,
  account: Account,
  deploy: () => Promise<World>,
  options: RunOptions,
): Promise<void> {
  try {
    await askAll(await deploy(), record, options);
  } catch (error) {
    record.answer('deploys', { result: 'failed', reason: String(error) });
    options.say(`failed: deploys: ${String(error)}`);
  }
  await clean(account, record, options.say);
}
