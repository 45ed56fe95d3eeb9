import { setTimeout as sleep } from 'node:timers/promises';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { type RegionId, regionIds } from '../../contract/regions.ts';
import { type Alg, algs, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { formatSpan } from '../../core/duration.ts';
import { InputError, RefusedError, UnavailableError } from '../../core/errors.ts';
import { type CanaryRun, describeCanaryRun } from '../../core/key-rotation/canary-run.ts';
import { plan as planRegion, subjectOf } from '../../core/key-rotation/plan.ts';
import type { RotationSettings, RotationState } from '../../core/key-rotation/rotation-ports.ts';
import {
  buildTimeline,
  explainWaitForRoom,
  type TimelineEntry,
} from '../../core/key-rotation/timeline.ts';
import { formatTime } from '../../core/time.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, chosen, command, option } from '../command-spec.ts';
import type { Cell } from '../output.ts';
import { refuseUsage, UsageError } from '../usage-error.ts';

/** The next step in words. */
const meanings = {
  promote: 'may sign',
  retire: 'stops signing',
  withdraw: 'leaves the JWKS',
  disable: 'is disabled',
  schedule_deletion: 'is deleted from KMS',
} as const;

function describeNext({ next }: TimelineEntry, now: number): Cell {
  if (next === undefined) return undefined;
  const wait = next.at - now;
  return `${meanings[next.action]} ${wait > 0 ? `in ${formatSpan(wait)}` : 'now'}`;
}

/** A new key waits until every verifier knows it: that is no shortage of safety. */
function describeSafety({ key, safety }: TimelineEntry): Cell {
  if (safety === undefined) return undefined;
  return key.state === 'next' && safety < 0 ? 'waits' : formatSpan(safety);
}

function formatOptional(time: number | undefined): string | undefined {
  return time === undefined ? undefined : formatTime(time);
}

function viewEntry(entry: TimelineEntry, runs: readonly CanaryRun[]) {
  const { key, signs, next, safety, liveTokens } = entry;
  const run = runs.find(({ regionId }) => signs && regionId === key.regionId);
  return {
    kid: key.kid,
    region: key.regionId,
    algorithm: key.alg,
    state: key.state,
    signs,
    kms_key_arn: key.kmsKeyArn,
    published_at: formatTime(key.publishedAt),
    activated_at: formatOptional(key.activatedAt),
    retired_at: formatOptional(key.retiredAt),
    withdraw_at: formatOptional(key.withdrawAt),
    withdrawn_at: formatOptional(key.withdrawnAt),
    disable_at: formatOptional(key.disableAt),
    disabled_at: formatOptional(key.disabledAt),
    deletion_scheduled_at: formatOptional(key.deletionScheduledAt),
    next_action: next?.action,
    next_action_at: formatOptional(next?.at),
    safety_seconds: safety,
    live_token_seconds: liveTokens,
    canary_at: formatOptional(run?.at),
    canary_problem: run?.problem,
    self_test_problem: run?.selfTestProblem,
  };
}

function settingsOf(config: DeploymentConfig): readonly RotationSettings[] {
  const [alg, ...others] = config.signingAlgorithms;
  if (alg === undefined) return [];
  const { signingKeyPolicy: policy } = config;
  return deployedRegions(config).map(({ id }) => ({
    regionId: id,
    runId: 'authctl',
    algs: [alg, ...others],
    policy,
  }));
}

/** The steps of every region's next run. Only the region itself can see whether KMS would sign. */
function listDue(state: RotationState, config: DeploymentConfig, now: number) {
  return settingsOf(config).flatMap((settings) =>
    planRegion(state, settings, now).map((action) => ({
      region: settings.regionId,
      action: action.kind,
      // A kid, or the purpose of a key that does not exist yet.
      subject: subjectOf(action),
      at: now,
    })),
  );
}

/** The steps that are not due before a time. */
function listComing(state: RotationState, config: DeploymentConfig, now: number) {
  return buildTimeline(state.keys, config.signingKeyPolicy, now).flatMap(({ key, next }) =>
    next === undefined || next.at <= now
      ? []
      : { region: key.regionId, action: next.action, subject: key.kid, at: next.at },
  );
}

const plan = command({
  name: 'plan',
  summary: 'Show the steps that the rotation would take now and later, without taking them',
  examples: ['signing-key plan', 'signing-key plan --json'],
  run: async (cli) => {
    const signingKeys = await cli.signingKeys();
    const { config } = cli.deployment();
    const now = cli.now();
    const state = await signingKeys.read();
    const coming = listComing(state, config, now).toSorted((a, b) => a.at - b.at);
    for (const settings of settingsOf(config)) {
      const wait = explainWaitForRoom(state, settings, now);
      if (wait !== undefined) cli.output.warn(`${settings.regionId}: ${wait}`);
    }
    cli.output.printList([...listDue(state, config, now), ...coming], {
      view: ({ at, ...step }) => ({ ...step, due: at <= now, at: formatTime(at) }),
      id: ({ action, subject }) => `${action} ${subject}`,
      row: ({ at, region, action, subject }) => ({
        when: at <= now ? 'now' : `in ${formatSpan(at - now)}`,
        at: formatTime(at),
        region,
        action,
        key: subject,
      }),
      none: 'Nothing is due, now or later.',
    });
  },
});

function chooseRegions(cli: Cli, regionId: RegionId | undefined): readonly RegionId[] {
  const deployed = deployedRegions(cli.deployment().config).map(({ id }) => id);
  if (regionId === undefined) return deployed;
  if (deployed.includes(regionId)) return [regionId];
  return refuseUsage('--region', regionId, `a region of the deployment: ${deployed.join(', ')}`);
}

/** What a run did, one line for each key that changed. */
function describeReport(report: RotationReport): string {
  const { region, kid, next, done, refused, waits_for_room: wait } = report;
  const steps = done
    .filter(({ action }) =>
      ['publish', 'promote', 'retire', 'withdraw', 'disable'].includes(action),
    )
    .map(({ action, subject }) => `${region}: ${action} ${subject}`);
  const coming = next.map(({ kid: id, eligible_at: at }) =>
    at === undefined
      ? `${region}: ${id} waits until every region is proved to serve it`
      : `${region}: ${id} may sign from ${at} on`,
  );
  const waiting = [
    ...refused.map(({ reason }) => reason),
    ...(wait === undefined ? [] : [wait]),
  ].map((reason) => `${region}: ${reason}`);
  const signs = kid === undefined ? `${region}: no key signs yet` : `${region}: ${kid} signs`;
  return [...steps, signs, ...coming, ...waiting].join('\n');
}

/** Libraries that refuse a whole JWKS for a key type that they do not know: docs/interop.md. */
function mlDsaWarning(algorithm: Alg): string {
  return `Warning: an ${algorithm} key in the JWKS breaks some verifiers at once, also of tokens under other keys: lestrrat jwx, Auth0's Go middleware (go-jose) and python-jose refuse the whole JWKS. Most other libraries cannot verify ${algorithm} when it signs (docs/interop.md). Publish it?`;
}

const rotate = command({
  name: 'rotate',
  summary: 'Let the next key sign now, or move to another algorithm',
  options: [
    chosen('--region <region>', 'one region; default all', regionIds),
    chosen(
      '--algorithm <alg>',
      'publish a key with it, which signs when every verifier knows it',
      algs,
    ),
  ],
  examples: [
    'signing-key rotate',
    'signing-key rotate --region slc',
    'signing-key rotate --algorithm ES256',
  ],
  run: async (cli, _, { region, algorithm }) => {
    const signingKeys = await cli.signingKeys();
    const regions = chooseRegions(cli, region);
    const { signingAlgorithms: allowed } = cli.deployment().config;
    // The rotation refuses an algorithm that the deployment does not allow.
    const isAllowed = algorithm !== undefined && allowed.includes(algorithm);
    if (isAllowed && signingAlgorithms[algorithm].kty === 'AKP') {
      await cli.confirm(mlDsaWarning(algorithm));
    }
    const reports: RotationReport[] = [];
    for (const id of regions) {
      try {
        reports.push(await signingKeys.ask(id, { action: 'rotate', algorithm }));
      } catch (error) {
        // Each region has its own keys: one that must wait or does not answer does not delay the others.
        const isRefused = error instanceof RefusedError;
        const isOfRegion = isRefused || error instanceof UnavailableError;
        if (!isOfRegion || regions.length === 1) throw error;
        cli.output.warn(`${id}: ${isRefused ? 'refused: ' : ''}${error.message}`);
        cli.answerNo();
      }
    }
    cli.output.print({
      json: { items: reports },
      quiet: reports.flatMap(({ kid }) => kid ?? []),
      text: reports.map(describeReport).join('\n'),
    });
  },
});

/** Milliseconds between two reads. Nothing changes more often than every few seconds. */
const watchInterval = 1000;

type SigningKeys = Awaited<ReturnType<Cli['signingKeys']>>;

async function print(cli: Cli, signingKeys: SigningKeys): Promise<void> {
  const { signingKeyPolicy } = cli.deployment().config;
  const now = cli.now();
  const { keys } = await signingKeys.read();
  const runs = await signingKeys.listCanaryRuns();
  const describe = (regionId: RegionId) => describeCanaryRun(runs, regionId, now);
  const describeState = ({ key, signs }: TimelineEntry) =>
    signs ? `current, ${describe(key.regionId).failsToSign ? 'fails' : 'signs'}` : key.state;
  cli.output.printList(buildTimeline(keys, signingKeyPolicy, now), {
    view: (entry) => viewEntry(entry, runs),
    id: ({ key }) => key.kid,
    row: (entry) => ({
      region: entry.key.regionId,
      kid: entry.key.kid,
      algorithm: entry.key.alg,
      state: describeState(entry),
      for: formatSpan(now - entry.since),
      next: describeNext(entry, now),
      safety: describeSafety(entry),
    }),
    none: 'There are no signing keys; a deployment creates the first one.',
  });
  for (const { id } of deployedRegions(cli.deployment().config)) {
    const { text, isGood } = describe(id);
    cli.output[isGood ? 'note' : 'warn'](`${id}: ${text}`);
  }
}

const list = command({
  name: 'list',
  summary:
    'Show which key signs in each region, what happens next and the safety margin in seconds',
  options: [option('--watch', 'refresh every second until Ctrl-C')],
  examples: ['signing-key list', 'signing-key list --watch --local', 'signing-key list --json'],
  run: async (cli, _, options) => {
    const signingKeys = await cli.signingKeys();
    if (options.watch !== true) return print(cli, signingKeys);
    if (cli.options.json === true || cli.options.quiet === true) {
      throw new UsageError('--watch: shows a table; allowed: without --json and --quiet');
    }
    for (;;) {
      cli.output.clear();
      await print(cli, signingKeys);
      await sleep(watchInterval);
    }
  },
});

/** What an operator must know before confirming. */
function describeDamage({ key, signs, liveTokens }: TimelineEntry): string {
  const role = signs ? `signs in ${key.regionId}` : `is "${key.state}" in ${key.regionId}`;
  const damage =
    liveTokens === 0
      ? 'No unexpired token is signed by it.'
      : `Tokens that it signed stop verifying, up to ${liveTokens} s before they expire.`;
  return `${key.kid} ${role}. ${damage} Withdraw it?`;
}

const withdraw = command({
  name: 'withdraw',
  summary: 'Remove a key from the JWKS and disable it in KMS',
  arguments: [['kid', 'id of the key, as the list shows it']],
  options: [
    option('--emergency', 'although it is in use: the key is compromised, and its tokens are lost'),
    option(
      '--activate-early',
      'let the next key sign although verifiers with an old JWKS do not know it yet',
    ),
  ],
  examples: [
    'signing-key withdraw NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --emergency',
    'signing-key withdraw NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs --emergency --activate-early',
  ],
  run: async (cli, [kid], options) => {
    const signingKeys = await cli.signingKeys();
    const { signingKeyPolicy } = cli.deployment().config;
    const { keys } = await signingKeys.read();
    const timeline = buildTimeline(keys, signingKeyPolicy, cli.now());
    const entry = timeline.find(({ key }) => key.kid === kid);
    if (entry === undefined) {
      throw new InputError(`kid: received "${kid}"; allowed: a key that signing-key list shows`);
    }
    const emergency = options.emergency === true;
    if (emergency) await cli.confirm(describeDamage(entry));
    const report = await signingKeys.ask(entry.key.regionId, {
      action: 'withdraw',
      kid,
      emergency,
      activate_early: options.activateEarly === true,
    });
    cli.output.print({
      json: { kid, lost_token_seconds: entry.liveTokens, ...report },
      quiet: [kid],
      text: describeReport(report),
    });
  },
});

export const signingKeyCommands: CommandGroup = {
  name: 'signing-key',
  summary: 'Watch signing keys, rotate them, and withdraw a compromised one',
  commands: [list, plan, rotate, withdraw],
};
