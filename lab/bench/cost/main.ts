import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { getBundles } from '../../../lib/functions/function-bundles.ts';
import { costPages, writeParts } from '../../support/generated-parts.ts';
import { countFrom } from '../../support/parse-count.ts';
import { describeMonth, type Load } from './own-month.ts';
import { computeParts } from './parts.ts';

const rate = countFrom(0);
const { config, ...load } = new Command('npm run cost --')
  .description('Writes the figures of the pages; with --config, prints a month of that config.')
  .option('--config <file>', 'a config of your own')
  .option('--tokens-per-second <number>', 'on average, in all regions', rate, 0)
  .option('--clients <number>', 'that get a token each day', rate, 0)
  .option('--verified-per-second <number>', 'requests of platform APIs, on average', rate, 0)
  .allowExcessArguments(false)
  .parse()
  .opts<Load & { readonly config?: string }>();

if (config === undefined) {
  const parts = computeParts(getBundles());
  writeParts(costPages, parts);
  process.stdout.write(`${Object.values(parts).join('\n\n')}\n`);
} else {
  process.stdout.write(`${describeMonth(JSON.parse(readFileSync(config, 'utf8')), load)}\n`);
}
