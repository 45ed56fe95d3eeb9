import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { packageVersion } from '../../../adapters/package-version.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { assertShareable, collectBill, collectRun } from './collect.ts';
import { createCallService } from './signed-call.ts';

const { config, out, bill } = new Command('node lab/tools/first-deployment/main.ts')
  .description('Collects what a first deployment on AWS shows; see docs/first-deployment.md.')
  .requiredOption('--config <file>', 'the deployment config')
  .option('--out <file>', 'the file that gets the figures', 'first-deployment.json')
  .option('--bill', 'a day later: adds the bill of the last whole day (UTC)')
  .parse()
  .opts<{ readonly config: string; readonly out: string; readonly bill?: boolean }>();

const { credentials } = createLambdaClient({ region: 'us-east-1' }).config;
const options = {
  config: parseDeploymentConfig(JSON.parse(readFileSync(config, 'utf8'))),
  callService: createCallService(credentials, process.env),
  now: Date.now(),
  wait,
};
const before = existsSync(out) ? (JSON.parse(readFileSync(out, 'utf8')) as object) : {};
const found =
  bill === true ? { bill: await collectBill(options) } : { run: await collectRun(options) };
const versions = { service: packageVersion(), node: process.versions.node };
const text = `${JSON.stringify({ ...before, versions, ...found }, undefined, 2)}\n`;
assertShareable(text);
writeFileSync(out, text);
process.stdout.write(
  `${out} has no account id, no ARN and no secret. Read it before you send it.\n`,
);
