import type { CanaryFinding } from '../../contract/function-events.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import {
  ClockError,
  ConflictError,
  InputError,
  RefusedError,
  SigningKeyUnusableError,
  UnavailableError,
} from '../errors.ts';
import {
  byEligibility,
  earliestEligibleAt,
  eligibleAt,
} from '../signing-key/select-signing-key.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import { executeAction } from './execute-action.ts';
import {
  explainFullJwks,
  explainHold,
  findCurrentKey,
  findEligibleKeys,
  findJwksRoom,
  findSuccessor,
  plan,
  type RotationAction,
  subjectOf,
  usableNextKeys,
  wantedAlg,
} from './plan.ts';
import {
  type Heartbeat,
  type KeyManagement,
  PromotionRefusedError,
  PublicationRefusedError,
  type RotationContext,
  type RotationPorts,
  type RotationState,
} from './rotation-ports.ts';

type Proof = Pick<SigningKey, 'seenAt' | 'provedAt'>;

/**
 * Proves a `next` key: a canary token that it signed verifies with the JWKS of every region in
 * service. Records the result, from which the key's lead is counted.
 *
 * @throws {PromotionRefusedError} naming each region that does not verify it.
 */
export async function proveKey(
  key: SigningKey,
  { heartbeats }: Pick<RotationState, 'heartbeats'>,
  { ports, settings }: Pick<RotationContext, 'ports' | 'settings'>,
): Promise<void> {
  const findings = await askCanary(key, ports);
  const { propagationLag, leeway } = settings.policy;
  const haveRunSince = (time: number) =>
    findings.every(({ region }) =>
      heartbeats.some(
        ({ regionId, at }) => regionId === region && at >= time + propagationLag + leeway,
      ),
    );
  const hasOwn = findings.some(({ region }) => region === key.regionId);
  const isServed = hasOwn && findings.every(({ ok }) => ok);
  const proof = isServed
    ? advanceProof(key, haveRunSince, ports.now())
    : withdrawProof(key, findings);
  if (proof !== undefined) {
    await ports.store.replaceSigningKey({ ...key, ...proof, version: key.version + 1 });
  }
  if (!isServed) throw new PromotionRefusedError(key.kid, findings);
}

/**
 * The canary reaches one instance of a region's JWKS function; others may be G behind. If the
 * region loses access to its tables before they catch up, they stay behind until it has access
 * again. When a region runs its rotation, it writes to its tables. So a heartbeat at least G after
 * the first sighting shows that all instances have caught up. An unreachable region or missed runs
 * after that cannot change the result.
 */
function advanceProof(
  { seenAt, provedAt }: SigningKey,
  haveRunSince: (time: number) => boolean,
  now: number,
): Proof | undefined {
  if (provedAt !== undefined) return undefined;
  if (seenAt === undefined) return { seenAt: now };
  return haveRunSince(seenAt) ? { provedAt: now } : undefined;
}

/** A region that serves a JWKS without the key may have done so until now, for any reason. */
function withdrawProof(
  { seenAt, provedAt }: SigningKey,
  findings: readonly CanaryFinding[],
): Proof | undefined {
  const isMissing = findings.some(
    ({ problem }) => problem === 'absent' || problem === 'not_verified',
  );
  const hasProof = seenAt !== undefined || provedAt !== undefined;
  return isMissing && hasProof ? { seenAt: undefined, provedAt: undefined } : undefined;
}

/** When the canary does not answer, nothing is proved, but all other steps are still taken. */
async function askCanary(key: SigningKey, ports: RotationPorts): Promise<readonly CanaryFinding[]> {
  try {
    return await ports.checkKey(key.kid);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const reason = `the canary does not answer: ${error.message}`;
    return [{ kid: key.kid, region: key.regionId, ok: false, problem: 'not_signed', reason }];
  }
}

/**
 * Maximum steps of one run. Creating a key and replacing another one take eight. When a run reaches
 * the limit, the next run continues.
 */
const maxSteps = 40;

/** A step that is due but must not be taken yet. */
interface RefusedAction {
  readonly action: RotationAction;
  readonly error: Error;
}

/** The result of a run. */
export interface RunOutcome {
  readonly done: readonly RotationAction[];
  readonly refused: readonly RefusedAction[];
  /** The state after the run. */
  readonly state: RotationState;
}

/** Reads everything that a plan depends on. */
export async function readRotationState({
  ports,
  settings,
}: RotationContext): Promise<RotationState> {
  const [keys, intents, heartbeats, algorithmChoice] = await Promise.all([
    ports.store.listSigningKeys(),
    ports.store.listKeyIntents(),
    ports.store.listHeartbeats(),
    ports.store.findAlgorithmChoice(),
  ]);
  assertNoLaterRun(heartbeats, settings, ports.now());
  const signers = keys.filter(
    (key) =>
      key.regionId === settings.regionId && (key.state === 'current' || key.state === 'next'),
  );
  const usable = await Promise.all(signers.map((key) => isUsable(key, ports.keyManagement)));
  const unusableKids = new Set(signers.filter((_, at) => !usable[at]).map((key) => key.kid));
  return { keys, intents, heartbeats, algorithmChoice, unusableKids };
}

/** If a region has run later than now, one of the two clocks is wrong. */
function assertNoLaterRun(
  heartbeats: readonly Heartbeat[],
  { regionId, policy }: RotationContext['settings'],
  now: number,
): void {
  const later = heartbeats.find(
    (beat) => beat.regionId !== regionId && beat.at > now + policy.leeway,
  );
  if (later === undefined) return;
  throw new ClockError(
    `the clock of this function is ${later.at - now} s behind the last run of ${later.regionId}`,
  );
}

async function isUsable(key: SigningKey, keyManagement: KeyManagement): Promise<boolean> {
  const state = (await keyManagement.describeKey(key.kmsKeyArn))?.state;
  return state !== undefined && state !== 'disabled' && state !== 'pending_deletion';
}

/**
 * Takes every step that is due in a region, one at a time, and plans again after each. A refused
 * step waits for the next run; the other steps continue.
 */
export async function reconcile(context: RotationContext): Promise<RunOutcome> {
  const { ports, settings } = context;
  // The first read also returns the time that the clock is checked against.
  await readRotationState(context);
  await ports.store.putHeartbeat({ regionId: settings.regionId, at: ports.now() });
  const done: RotationAction[] = [];
  const refused: RefusedAction[] = [...(await watchPublication(context))];
  const isRefused = (action: RotationAction) =>
    refused.some(
      (one) => one.action.kind === action.kind && subjectOf(one.action) === subjectOf(action),
    );
  for (let step = 0; step < maxSteps; step += 1) {
    const state = await readRotationState(context);
    const action = plan(state, settings, ports.now()).find((due) => !isRefused(due));
    if (action === undefined) return { done, refused, state };
    try {
      if (action.kind === 'promote') await proveKey(action.key, state, context);
      await executeAction(action, context, state);
      done.push(action);
    } catch (error) {
      if (mustWait(action, error)) refused.push({ action, error });
      else if (!(error instanceof ConflictError)) throw error;
    }
  }
  return { done, refused, state: await readRotationState(context) };
}

/** A publisher that does not answer keeps no other step from being taken. */
function mustWait(action: RotationAction, error: unknown): error is Error {
  if (error instanceof PromotionRefusedError || error instanceof PublicationRefusedError)
    return true;
  return action.kind === 'publish' && error instanceof UnavailableError;
}

/**
 * Proves the keys that are not eligible yet. When a region does not serve a key, the key is refused
 * only after the expected lag.
 */
async function watchPublication(context: RotationContext): Promise<readonly RefusedAction[]> {
  const { ports, settings } = context;
  const state = await readRotationState(context);
  const now = ports.now();
  const waiting = usableNextKeys({ state, settings }).filter(
    (key) => now < eligibleAt(key, settings.policy),
  );
  const refused: RefusedAction[] = [];
  for (const key of waiting) {
    try {
      await proveKey(key, state, context);
    } catch (error) {
      if (error instanceof PromotionRefusedError) {
        const isLate = key.publishedAt + settings.policy.propagationLag <= now;
        if (isLate) refused.push({ action: { kind: 'promote', key }, error });
      } else if (!(error instanceof ConflictError)) throw error;
    }
  }
  return refused;
}

/** The state of a region after its deployment. */
interface DeployedKeys {
  /** `signing`: a key signs. `waiting`: one is published and verifiers are learning it. */
  readonly status: 'signing' | 'waiting';
  readonly outcome: RunOutcome;
}

/** How a deployment waits. */
interface DeploymentWait {
  /**
   * Resolves when it is time to try again.
   *
   * @param reason why the deployment waits.
   * @throws {Error} with the reason if no time is left.
   */
  readonly pause: (reason: string) => Promise<void>;
  /** @returns what is missing, if AWS refused a call for lack of a permission; else undefined. */
  readonly describeDenial: (error: unknown) => string | undefined;
}

/**
 * Ensures that a region has a signing key. If other regions already sign, the key is published and
 * waits for its promotion. The call is repeated while KMS cannot read a new key, while another run
 * creates one, and while a permission is missing: when a role is new, its policies take seconds or
 * minutes to have an effect everywhere.
 *
 * @throws whatever `pause` throws.
 */
export async function deployKeys(
  context: RotationContext,
  { pause, describeDenial }: DeploymentWait,
): Promise<DeployedKeys> {
  for (;;) {
    let reason = 'another run is creating the key';
    try {
      const outcome = await reconcile(context);
      const status = findStatus(outcome, context);
      if (status !== undefined) return { status, outcome };
      reason = findObstacle(outcome) ?? reason;
    } catch (error) {
      const passing = describeDenial(error) ?? describeOutage(error);
      if (passing === undefined) throw error;
      reason = passing;
    }
    await pause(reason);
  }
}

/**
 * Why the key is not published yet.
 *
 * @throws {PublicationRefusedError} if a key was refused: the next one would be as well.
 */
function findObstacle({ refused }: RunOutcome): string | undefined {
  for (const { error } of refused) if (error instanceof PublicationRefusedError) throw error;
  return refused.find(({ action }) => action.kind === 'publish')?.error.message;
}

function describeOutage(error: unknown): string | undefined {
  const passes = error instanceof UnavailableError || error instanceof SigningKeyUnusableError;
  return passes ? error.message : undefined;
}

function findStatus(
  { state }: RunOutcome,
  { settings }: RotationContext,
): DeployedKeys['status'] | undefined {
  const { keys, unusableKids } = state;
  const current = findCurrentKey(keys, settings.regionId);
  if (current !== undefined && !unusableKids.has(current.kid)) return 'signing';
  // A region that is replaced has a current key in another region's KMS, which it cannot call.
  const waits = keys.some((key) => key.regionId === settings.regionId && key.state === 'next');
  return waits ? 'waiting' : undefined;
}

/**
 * Rotates a region's key now instead of at the end of its period, or starts the move to another
 * algorithm: a key with it is published now, and signs when every verifier knows it.
 *
 * @throws {RefusedError} if no published key may sign yet. The message says when one may.
 * @throws {PromotionRefusedError} if a region does not verify the key that would sign next.
 * @throws {InputError} if the deployment does not know the algorithm.
 */
export async function rotateKey(context: RotationContext, alg?: Alg): Promise<RunOutcome> {
  const { ports, settings } = context;
  const state = await readRotationState(context);
  if (alg !== undefined && alg !== wantedAlg(settings.algs, state.algorithmChoice)) {
    await chooseAlgorithm(alg, context);
    return reconcile(context);
  }
  const key = findSuccessor({ state, settings, now: ports.now() });
  if (key === undefined) return rotateIfDue(context, alg);
  const hold = explainHold(key, { state, settings });
  if (hold !== undefined) throw new RefusedError(hold);
  await proveKey(key, state, context);
  await executeAction({ kind: 'promote', key }, context, state);
  const outcome = await reconcile(context);
  return { ...outcome, done: [{ kind: 'promote', key }, ...outcome.done] };
}

/**
 * A run can prove the waiting key, and can find that a promotion is due. If another region has
 * already chosen the algorithm, the run publishes this region's key, as it was asked to.
 */
async function rotateIfDue(context: RotationContext, alg?: Alg): Promise<RunOutcome> {
  const outcome = await reconcile(context);
  const isAsked = ({ kind }: RotationAction) =>
    kind === 'promote' || (kind === 'publish' && alg !== undefined);
  if (outcome.done.some(isAsked)) return outcome;
  throw new RefusedError(explainWait(outcome.state, context));
}

async function chooseAlgorithm(alg: Alg, { ports, settings }: RotationContext): Promise<void> {
  const { algs } = settings;
  if (!algs.includes(alg)) {
    throw new InputError(
      `algorithm: received "${alg}"; allowed: ${algs.join(', ')}, the deployment config's signingAlgorithms`,
    );
  }
  await ports.store.putAlgorithmChoice({ alg, insteadOf: algs[0], chosenAt: ports.now() });
}

/** The explanation for an operator who asked too early. */
function explainWait(state: RotationState, { ports, settings }: RotationContext): string {
  const { policy, regionId } = settings;
  const [key] = usableNextKeys({ state, settings }).toSorted(byEligibility(policy));
  if (key === undefined) {
    const room = findJwksRoom(state.keys, settings);
    const why = room.isFull ? `: ${explainFullJwks(room, regionId)}` : ' yet';
    return `no key is published to take over in ${regionId}${why}`;
  }
  const now = ports.now();
  const at = earliestEligibleAt(key, policy, now);
  const when = `${new Date(at * 1000).toISOString()} on, in ${Math.max(0, at - now)} s`;
  return key.provedAt === undefined
    ? `the next key of ${regionId}, ${key.kid}, may sign from ${when} at the earliest: every region must serve it and then run its rotation before the lead begins`
    : `the next key of ${regionId}, ${key.kid}, may sign from ${when}: until then a verifier may not know it`;
}

interface WithdrawalRequest {
  readonly kid: string;
  /** Withdraws a key that is in use, with every token that it signed. */
  readonly emergency: boolean;
  /** Lets the next key sign even if some verifiers may not know it yet. */
  readonly activateEarly: boolean;
}

/** How often another run may be faster. Each time, that run has taken a step. */
const maxAttempts = 10;

/**
 * Takes a key out of the JWKS and has KMS disable it. If the key signs, the next key is promoted
 * first, without a new proof: a slow region must not delay the removal of a compromised key.
 *
 * @throws {RetainedKeyError} if the key is in use and this is not an emergency.
 * @throws {RefusedError} if it signs and no other key may. The message says when one may.
 * @throws {InputError} if this region has no such key.
 */
export async function withdrawKey(
  context: RotationContext,
  request: WithdrawalRequest,
): Promise<RunOutcome> {
  const done: RotationAction[] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const state = await readRotationState(context);
    const action = nextStep(state, context, request);
    if (action === undefined) {
      const outcome = await reconcile(context);
      return { ...outcome, done: [...done, ...outcome.done] };
    }
    try {
      await executeAction(action, context, state);
      done.push(action);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new RefusedError(`${request.kid} is being changed by other runs, try again`);
}

/** The next step; none when the key is out of use. */
function nextStep(
  state: RotationState,
  context: RotationContext,
  request: WithdrawalRequest,
): RotationAction | undefined {
  const { settings, ports } = context;
  const key = getOwnKey(state, context, request.kid);
  if (key.state === 'disabled' || key.state === 'deletion_scheduled') return undefined;
  if (!request.emergency) {
    return key.state === 'withdrawn' ? undefined : { kind: 'withdraw', key };
  }
  if (key.state === 'withdrawn') {
    const isDue = key.disableAt !== undefined && key.disableAt <= ports.now();
    return isDue ? { kind: 'disable', key } : { kind: 'withdraw', key, emergency: true };
  }
  const isReplaced = state.keys.some(
    (other) => other.regionId === settings.regionId && other.state === 'current' && other !== key,
  );
  if (key.state !== 'current' || isReplaced) return { kind: 'withdraw', key, emergency: true };
  return { kind: 'promote', key: getReplacement(state, context, request) };
}

function getOwnKey(state: RotationState, { settings }: RotationContext, kid: string): SigningKey {
  const key = state.keys.find((candidate) => candidate.kid === kid);
  if (key?.regionId === settings.regionId) return key;
  const where = key === undefined ? 'no region has it' : `it is of region ${key.regionId}`;
  throw new InputError(`kid: received "${kid}"; allowed: a key of ${settings.regionId}; ${where}`);
}

function getReplacement(
  state: RotationState,
  context: RotationContext,
  { kid, activateEarly }: WithdrawalRequest,
): SigningKey {
  const { settings, ports } = context;
  const [eligible] = findEligibleKeys({ state, settings, now: ports.now() });
  const [early] = activateEarly ? usableNextKeys({ state, settings }) : [];
  const replacement = eligible ?? early;
  if (replacement !== undefined) return replacement;
  throw new RefusedError(
    `${kid} signs and no other key may replace it: ${explainWait(state, context)}`,
  );
}
