import { getBundles } from '../../lib/functions/function-bundles.ts';
import { formatColumns, writeParts } from '../support/generated-parts.ts';
import { configOf } from './deployment.ts';
import { describePlan } from './look.ts';
import { proofs } from './proofs.ts';

/** The pages with parts that are made from the table of proofs. */
export const proofPages = ['deployment-test.md', 'first-deployment.md'];

/** @param bundles folder of the function bundles. */
export function computeProofParts(bundles: string): Readonly<Record<string, string>> {
  const asked = proofs.filter(({ check }) => check !== undefined);
  const inOne = asked.filter(({ regions = 1 }) => regions === 1).length;
  const request = { name: 'trial', account: '111122223333', awsRegions: ['us-west-2'] } as const;
  const { facts } = describePlan(configOf(request), bundles);
  return {
    proofs: formatColumns(proofs, {
      id: ({ id }) => `\`${id}\``,
      'what only AWS can show': ({ shows }) => shows,
      'asked by `npm run prove`': ({ check, needs, emulator }) => {
        if (check === undefined) return `no: it needs ${needs}`;
        return needs === undefined
          ? `yes${emulator === undefined ? '' : ', also on the emulator'}`
          : `with ${needs}`;
      },
    }),
    run: `Of the ${proofs.length} [things that only AWS can show](deployment-test.md#what-it-cannot-prove) it asks ${inOne} in one region, and ${asked.length} in two. In one region it takes up to ${facts['minutes at most']} minutes, and costs about ${facts['price by the model']} by [the model](cost.md).`,
  };
}

if (process.argv[1] === import.meta.filename) {
  writeParts(proofPages, computeProofParts(getBundles()));
}
