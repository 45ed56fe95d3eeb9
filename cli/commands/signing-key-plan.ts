import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { formatSpan } from '../../core/duration.ts';
import { plan as planRegion, subjectOf } from '../../core/key-rotation/plan.ts';
import {
  buildHistory,
  type RotationSettings,
  type RotationState,
} from '../../core/key-rotation/rotation-state.ts';
import { buildTimeline, explainWaitForRoom } from '../../core/key-rotation/timeline.ts';
import { formatTime } from '../../core/rfc3339.ts';
import { command } from '../command-spec.ts';
import { viewEvent } from '../signing-key-view.ts';

/** A step of the rotation: due now, or not before a time. */
interface PlannedStep {
  readonly region: string;
  readonly action: string;
  /** A kid, or the purpose of a key that does not exist yet. */
  readonly subject: string;
  /** Seconds since the epoch. */
  readonly at: number;
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
  return settingsOf(config).flatMap((settings): readonly PlannedStep[] =>
    planRegion(state, settings, now).map((action) => ({
      region: settings.regionId,
      action: action.kind,
      subject: subjectOf(action),
      at: now,
    })),
  );
}

function listComing(state: RotationState, config: DeploymentConfig, now: number) {
  return buildTimeline(state.keys, config.signingKeyPolicy, now).flatMap(
    ({ key, next }): PlannedStep[] =>
      next === undefined || next.at <= now
        ? []
        : [{ region: key.regionId, action: next.action, subject: key.kid, at: next.at }],
  );
}

export const plan = command({
  name: 'plan',
  summary: 'Show the steps that the rotation would take now and later, without taking them',
  examples: ['signing-key plan', 'signing-key plan --json'],
  run: async (cli) => {
    const signingKeys = await cli.signingKeys();
    const { config } = cli.deployment();
    const now = signingKeys.now();
    const state = await signingKeys.read();
    const coming = listComing(state, config, now).toSorted((a, b) => a.at - b.at);
    for (const settings of settingsOf(config)) {
      const wait = explainWaitForRoom(state, settings, now);
      if (wait !== undefined) cli.output.warn(`${settings.regionId}: ${wait}`);
    }
    cli.output.printList([...listDue(state, config, now), ...coming], {
      view: ({ at, ...step }) => ({ ...step, due: at <= now, at: formatTime(at) }),
      id: ({ action, subject }) => `${action} ${subject}`,
      columns: {
        when: ({ at }) => (at <= now ? 'now' : `in ${formatSpan(at - now)}`),
        at: ({ at }) => formatTime(at),
        region: ({ region }) => region,
        action: ({ action }) => action,
        key: ({ subject }) => subject,
      },
      none: 'Nothing is due, now or later.',
    });
  },
});

export const history = command({
  name: 'history',
  summary: 'Show every step that every key has taken, the latest first',
  examples: ['signing-key history', 'signing-key history --json'],
  run: async (cli) => {
    const signingKeys = await cli.signingKeys();
    const { keys } = await signingKeys.read();
    cli.output.printList(buildHistory(keys), {
      view: viewEvent,
      id: ({ key, state }) => `${key.kid} ${state}`,
      columns: {
        time: ({ at }) => formatTime(at),
        region: ({ key }) => key.regionId,
        key: ({ key }) => key.kid,
        algorithm: ({ key }) => key.alg,
        became: ({ state }) => state,
      },
      none: 'There are no signing keys; a deployment creates the first one.',
    });
  },
});
