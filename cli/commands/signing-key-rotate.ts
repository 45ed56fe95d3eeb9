import { deployedRegions } from '../../contract/deployment-config.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { type RegionId, regionIds } from '../../contract/regions.ts';
import { type Alg, algs, signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { RefusedError } from '../../core/errors.ts';
import type { Cli } from '../cli.ts';
import { chosen, command } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';

function chooseRegions(cli: Cli, wanted: RegionId | undefined): readonly RegionId[] {
  const deployed = deployedRegions(cli.deployment().config).map(({ id }) => id);
  if (wanted === undefined) return deployed;
  if (deployed.includes(wanted)) return [wanted];
  throw new UsageError(
    `--region: received "${wanted}"; allowed: a region of the deployment: ${deployed.join(', ')}`,
  );
}

/** What a run did, one line for each key that changed. */
export function describeReport(report: RotationReport): string {
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

export const rotate = command({
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
        // Each region has its own keys: a region that must wait does not delay the others.
        if (!(error instanceof RefusedError) || regions.length === 1) throw error;
        cli.output.warn(`${id}: refused: ${error.message}`);
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
