import type { Management } from '../../adapters/management.ts';
import { type Html, html } from '../html/html.ts';
import { badge, dataTable, type Tone } from '../html/list.ts';
import { code, emptyState, panel } from '../html/parts.ts';
import { distance, formatRelative, formatSpan } from '../html/time.ts';
import { HttpError } from '../http-error.ts';
import type { Handler, RequestContext } from '../request-context.ts';

type SigningKeyEntry = Awaited<ReturnType<Management['listSigningKeys']>>[number];

const states: Readonly<Record<SigningKeyEntry['key']['state'], readonly [Tone, string]>> = {
  next: ['info', 'Next'],
  current: ['info', 'Current'],
  previous: ['off', 'Previous'],
  withdrawn: ['off', 'Withdrawn'],
  disabled: ['off', 'Disabled'],
  deletion_scheduled: ['off', 'Being deleted'],
};

/** The next step in words. */
const nextSteps = {
  promote: 'May sign',
  retire: 'Stops signing',
  withdraw: 'Leaves the JWKS',
  disable: 'Is disabled in KMS',
  schedule_deletion: 'Is deleted from KMS',
} as const;

function nextStep({ next }: SigningKeyEntry, now: number): string {
  if (next === undefined) return '';
  return `${nextSteps[next.action]} ${next.at <= now ? 'now' : formatRelative(next.at, now)}`;
}

function keyTable({ now }: RequestContext, entries: readonly SigningKeyEntry[]): Html {
  const stateOf = ({ key, signs }: SigningKeyEntry) =>
    signs ? badge('good', 'Current, signs') : badge(...states[key.state]);
  const validFor = ({ liveTokens }: SigningKeyEntry) =>
    liveTokens === 0 ? '' : formatSpan(liveTokens);
  return dataTable(
    'Signing keys',
    [
      ['Key id', ({ key }) => code(key.kid)],
      ['State', stateOf],
      ['Algorithm', ({ key }) => key.alg, 'minor'],
      ['Since', ({ since }) => distance(since, now), 'minor'],
      ['Next', (entry) => nextStep(entry, now)],
      ['Tokens valid for', validFor, 'minor'],
    ],
    entries,
  );
}

function regionPanel(
  context: RequestContext,
  regionId: string,
  entries: readonly SigningKeyEntry[],
): Html {
  const { deployment } = context;
  const awsRegion = deployment.regions.find(({ id }) => id === regionId)?.awsRegion;
  const title = awsRegion === undefined ? regionId : `${regionId} (${awsRegion})`;
  return panel({ title, id: `region-${regionId}` }, keyTable(context, entries));
}

/** Read-only: keys rotate automatically, and changes need `authctl`. */
export const showSigningKeys: Handler = async (context) => {
  // They concern every trunk group. A customer needs only the JWKS.
  if (context.person.trunkGroups !== undefined) throw new HttpError(404);
  const entries = await context.management.listSigningKeys();
  const regions = Map.groupBy(entries, ({ key }) => key.regionId);
  return {
    title: 'Signing keys',
    section: 'signing-keys',
    lead: html`
      Keys rotate automatically. To rotate one now, or to withdraw a compromised one, use <code>
      authctl signing-key</code>.
    `,
    body:
      regions.size === 0
        ? emptyState('No signing keys yet', 'A deployment creates the first one.')
        : html`${[...regions].map(([id, keys]) => regionPanel(context, id, keys))}`,
  };
};
