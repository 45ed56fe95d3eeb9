import { getBundles } from '../../../lib/functions/function-bundles.ts';
import { costPages, writeParts } from '../../support/generated-parts.ts';
import { computeParts } from './parts.ts';

const parts = computeParts(getBundles());
writeParts(costPages, parts);
process.stdout.write(`${Object.values(parts).join('\n\n')}\n`);
