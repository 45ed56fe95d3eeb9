import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { connect } from 'node:tls';
import { Command } from 'commander';
import type { DeploymentConfigInput } from '../../contract/deployment-config.ts';
import { tokenPath } from '../../contract/routes.ts';
import { deployedTableName } from '../../contract/tables.ts';
import { getBundles } from '../../lib/functions/function-bundles.ts';
import project from '../../package.json' with { type: 'json' };
import { type Authctl, authctlCommand } from '../ministack/cloud.ts';
import { createClient } from '../ministack/proof.ts';
import { ageNextKey } from '../support/age-next-key.ts';
import { runCommand, runOrThrow } from '../support/run-command.ts';
import { openAccount } from './aws.ts';
import { clean } from './clean.ts';
import * as deployment from './deployment.ts';
import { proveOnEmulator } from './emulator.ts';
import { describePlan, findCaller, look } from './look.ts';
import { askAll } from './proofs.ts';
import { writeReport } from './report.ts';
import { intend, listThings, openRecord, type RunRecord, save } from './run-record.ts';
import type { World } from './world.ts';

/*
 * Deploys this service to an account of AWS, asks what only AWS can show, deletes everything and
 * writes a report. docs/first-deployment.md says what its lines mean.
 */

const isEmulator = process.env['AWS_ENDPOINT_URL'] !== undefined;

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
}

const command = new Command('npm run prove --')
  .description('Deploys for a trial, asks what only AWS can show, and deletes what costs money.')
  .option('--region, --regions <names>', 'one, or two with a comma', process.env['AWS_REGION'])
  .option('--config <file>', 'lines of the config, e.g. the domain that two regions need')
  .option('--yes', 'does not ask')
  .option('--clean <folder>', 'deletes what an earlier run has left, by its record')
  .option('--emulator', 'plays a run on an emulator of AWS on this machine; needs Python')
  .parse();
const options = command.opts<{ readonly [name: string]: string | undefined }>();

function refuse(message: string): never {
  return command.error(message, { exitCode: 2 });
}

async function confirm(): Promise<void> {
  if (options['yes'] !== undefined) return;
  if (!process.stdin.isTTY) refuse('no terminal to ask at; allowed: --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Go on? yes or no: ');
  terminal.close();
  if (answer.trim() !== 'yes') refuse('nothing was made');
}

const accountOf = ({ folder, awsRegions: [first] }: RunRecord) =>
  openAccount(first, join(folder, 'calls.jsonl'), isEmulator);

const shakeHands: World['shakeHands'] = (host, offer) =>
  new Promise((done, fail) => {
    const socket = connect({ host, port: 443, servername: host, ...offer }, () => {
      done(socket.getCipher().name);
      socket.destroy();
    });
    socket.on('error', fail);
  });

async function deploy(run: deployment.Run): Promise<World> {
  const { request, record } = run;
  const { name, awsRegions } = request;
  const [awsRegion, otherRegion] = awsRegions;
  const startedAt = run.clock();
  say('makes the bootstrap');
  await deployment.bootstrap(run);
  say('deploys the service');
  const { Issuer = '', TokenUrl = '', JwksUri = '' } = await deployment.deployService(run);
  const authctl: Authctl = async (...args) => {
    const operator = authctlCommand(deployment.configPathOf(run), ...args, '--yes');
    const printed = await runOrThrow(operator, { environment: { AWS_REGION: awsRegion } });
    return JSON.parse(printed || '{}') as Record<string, unknown>;
  };
  const client = await createClient(authctl);
  const table = deployedTableName({ name }, 'signingKeys');
  // No one waits for an emulator: as if every verifier had had days to learn the next key.
  if (isEmulator) {
    for (const [index, region] of awsRegions.entries()) {
      const regionId = deployment.regionIds[index] ?? deployment.regionId;
      await ageNextKey(run.aws(region).dynamodb, { table, regionId });
      // No schedule of the emulator does it.
      if (index > 0) await authctl('signing-key', 'rotate', '--region', regionId);
    }
  }
  const { defaultAudience: audience, domain } = deployment.configOf(request);
  const issuer = { issuer: Issuer, jwksUri: JwksUri, audience };
  say('deploys what uses it');
  const probe = await deployment.deployProbe(run, issuer);
  // The name of all regions may lead to the second one, which first waits for its key.
  const [home, other] = deployment.regionIds.map(
    (id) => `https://${id}.${domain?.name}${tokenPath}`,
  );
  return {
    ...run,
    ...issuer,
    name,
    awsRegion,
    deployedIn: Math.round((run.clock() - startedAt) / 1000),
    probe,
    shakeHands,
    authctl,
    client,
    tokenUrl: (otherRegion && home) ?? TokenUrl,
    otherTokenUrl: otherRegion && other,
    logGroups: listThings(record).flatMap((one) => (one.kind === 'log group' ? one.name : [])),
    intend: (...things) => intend(record, ...things),
    redeploy: (change) => deployment.deployService(run, change),
    deployAnew: () => deployment.deployAnew(run),
  };
}

/** Deletes what a run has made, and reports. */
async function end(record: RunRecord): Promise<void> {
  say('deletes what costs money; what no line names goes with its stack');
  await clean(accountOf(record), record, say);
  const { sum, isGood } = writeReport(record, isEmulator);
  say(`${sum}: ${join(record.folder, 'proof.md')}`);
  process.exitCode = isGood ? 0 : 1;
}

async function prove(): Promise<void> {
  const [first = '', ...others] = (options['regions'] ?? '').split(',');
  if (first === '') refuse('--region: received nothing; allowed: an AWS region');
  const { config } = options;
  const lines = config && (JSON.parse(readFileSync(config, 'utf8')) as DeploymentConfigInput);
  const name = `prove-${randomBytes(3).toString('hex')}`;
  const record: RunRecord = {
    folder: resolve('.prove', name),
    name,
    awsRegions: [first, ...others],
    startedAt: new Date().toISOString(),
    things: {},
    answers: {},
    facts: {},
  };
  save(record);
  const account = accountOf(record);
  const caller = await findCaller(account.aws());
  const wanted = { ...caller, lines: lines || {}, name, awsRegions: record.awsRegions };
  const { facts, request } = await look(account.aws(), wanted);
  const plan = describePlan(deployment.configOf(request), getBundles());
  const git = await runCommand(['git', '-C', import.meta.dirname, 'rev-parse', '--short', 'HEAD']);
  const commit = git.code === 0 ? git.stdout.trim() : 'unknown';
  const CDK = project.devDependencies['aws-cdk'];
  const versions = { version: project.version, commit, CDK, Node: process.version };
  Object.assign(record.facts, versions, facts, plan.facts);
  for (const [fact, value] of Object.entries(record.facts)) say(`${fact}: ${value}`);
  process.stdout.write(
    `${plan.text}If it is interrupted: npm run prove -- --clean ${record.folder}\n`,
  );
  if (isEmulator) say('that is on AWS: here it is free, and takes about five minutes');
  await confirm();
  try {
    const world = await deploy({ ...account, request, record, isEmulator });
    await askAll(world, record, { isEmulator, say });
  } catch (error) {
    record.answers['deploys'] = { result: 'failed', reason: String(error) };
    say(`failed: deploys: ${String(error)}`);
  }
  await end(record);
}

if (options['emulator'] !== undefined) await proveOnEmulator(/,/.test(options['regions'] ?? ''));
else if (options['clean'] !== undefined) await end(openRecord(resolve(options['clean'])));
else await prove();
