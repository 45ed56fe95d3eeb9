import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { interfaceFile, releaseAfter, root } from './files.ts';
import { publicInterface } from './public-interface.ts';
import { findProblems } from './rule.ts';

const { since } = new Command('node lab/tools/public-interface/main.ts')
  .description('Writes docs/public-interface.txt, what a version promises.')
  .option(
    '--since <tag>',
    'fails if the version or the changelog lacks a change since this release',
  )
  .parse()
  .opts<{ since?: string }>();

const lines = publicInterface(root);
writeFileSync(interfaceFile, `${lines.join('\n')}\n`);
process.stdout.write(`${interfaceFile.slice(root.length + 1)}: ${lines.length} lines\n`);
const problems = since === undefined ? [] : findProblems(releaseAfter(since, lines));
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
