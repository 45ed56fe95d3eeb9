import { type Account, clean } from './clean.ts';
import { type Proof, proofs } from './proofs.ts';
import type { Answer, RunRecord } from './run-record.ts';
import type { World } from './world.ts';

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

async function ask(proof: Proof, world: World, isEmulator: boolean): Promise<Answer> {
  const has = world.otherTokenUrl === undefined ? 1 : 2;
  const reason = whyNot(proof, has, isEmulator);
  if (reason !== undefined || proof.check === undefined) return { result: 'not asked', reason };
  try {
    return { result: 'passed', figures: await proof.check(world) };
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
  for (const proof of all) {
    const answer = await ask(proof, world, isEmulator);
    record.answer(proof.id, answer);
    say(`${answer.result}: ${proof.id}${answer.result === 'failed' ? `: ${answer.reason}` : ''}`);
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
