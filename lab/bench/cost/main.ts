import { findBundles } from '../../../lib/functions/function-bundles.ts';
import { writeParts } from '../../support/generated-parts.ts';
import { computeParts } from './parts.ts';

const parts = computeParts(findBundles());
writeParts(['cost.md', '../README.md'], parts);
process.stdout.write(`${Object.values(parts).join('\n\n')}\n`);
