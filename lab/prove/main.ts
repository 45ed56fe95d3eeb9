import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { connect } from 'node:tls';
import { Command } from 'commander';
import { tokenPath } from '../../contract/routes.ts';
import { getBundles } from '../../lib/functions/function-bundles.ts';
import { authctlCommand } from '../ministack/cloud.ts';
import { runCommand, runOrThrow } from '../support/run-command.ts';
import { createAws } from './aws.ts';
import { type Account, clean, realTime } from './clean.ts';
import { configOf, Deployment, type Request, regionIds, trunkGroup } from './deployment.ts';
import { describePlan, findCaller, look } from './look.ts';
import { writeReport } from './report.ts';
import { runAll } from './run.ts';
import { RunRecord } from './run-record.ts';
import type { World } from './world.ts';

/*
 * Deploys this service to an account of AWS, asks what only AWS can show, deletes everything and
 * writes a report. docs/first-deployment.md says what its lines mean.
 */

const root = resolve(import.meta.dirname, '../..');
const isEmulator = process.env['AWS_ENDPOINT_URL'] !== undefined;

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
}

const command = new Command('npm run prove --')
  .description('Deploys to an account for trials, asks what only AWS can show, and deletes all.')
  .option('--region <name>', 'AWS region', process.env['AWS_REGION'])
  .option('--regions <names>', 'two AWS regions with a comma; needs the next three')
  .option('--domain <name>', 'issuer of two regions')
  .option('--hosted-zone <id=name>', 'its public zone, e.g. Z0123456789=example.com')
  .option('--witness <name>', 'third AWS region of their set')
  .option('--api-gateway-log-role <how>', '"existing" if other APIs log, or "create"', 'create')
  .option('--yes', 'does not ask')
  .option('--clean <folder>', 'deletes what an earlier run has left, by its record')
  .parse();

type OptionName = 'region' | 'regions' | 'domain' | 'hostedZone' | 'witness' | 'yes' | 'clean';
type Options = { readonly [Name in OptionName]?: string } & Pick<Request, 'apiGatewayLogRole'>;
const options = command.opts<Options>();

function refuse(message: string): never {
  return command.error(message, { exitCode: 2 });
}

function listRegions(): Request['awsRegions'] {
  const [first = '', ...others] = (options.regions ?? options.region ?? '').split(',');
  if (first === '') refuse('--region: received nothing; allowed: an AWS region');
  if (others.length >= regionIds.length) refuse('--regions: allowed: two AWS regions');
  return [first, ...others];
}

function requestOf(name: string, account: string, roleArn: string | undefined): Request {
  const { domain, hostedZone = '', witness, apiGatewayLogRole } = options;
  const [hostedZoneId = '', hostedZoneName = ''] = hostedZone.split('=');
  const zone = { name: domain ?? '', hostedZoneId, hostedZoneName };
  return {
    name,
    account,
    roleArn,
    apiGatewayLogRole,
    awsRegions: listRegions(),
    ...(domain !== undefined && { domain: zone }),
    ...(witness !== undefined && { witnessAwsRegion: witness }),
  };
}

async function confirm(): Promise<void> {
  if (options.yes !== undefined) return;
  if (!process.stdin.isTTY) refuse('no terminal to ask at; allowed: --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Go on? yes or no: ');
  terminal.close();
  if (answer.trim() !== 'yes') refuse('nothing was made');
}

function accountOf({ folder, contents }: RunRecord): Account {
  const aws = createAws(contents.awsRegions[0] ?? '', join(folder, 'calls.jsonl'));
  // An emulator does at once what takes AWS minutes.
  return { aws, ...realTime(isEmulator ? 100 : 1000) };
}

const shakeHands: World['shakeHands'] = (host, offer) =>
  new Promise((done, fail) => {
    const socket = connect({ host, port: 443, servername: host, ...offer }, () => {
      done(socket.getCipher().name);
      socket.destroy();
    });
    socket.on('error', fail);
  });

async function deploy(request: Request, record: RunRecord, secrets: string[]): Promise<World> {
  const deployment = new Deployment(request, record, isEmulator);
  const { name, awsRegions, domain } = request;
  const [awsRegion] = awsRegions;
  say('makes the bootstrap');
  await deployment.bootstrap();
  say('deploys the service');
  const { Issuer = '', TokenUrl = '', JwksUri = '' } = await deployment.deployService();
  const authctl: World['authctl'] = async (...args) => {
    const operator = authctlCommand(deployment.configPath, ...args);
    const printed = await runOrThrow(operator, { environment: { AWS_REGION: awsRegion } });
    return JSON.parse(printed || '{}') as Record<string, unknown>;
  };
  const choices = ['--name', 'Prove', '--trunk-group', trunkGroup, '--scope', 'messaging:view'];
  const { client_id: id } = await authctl('client', 'create', ...choices);
  const { client_secret: secret } = await authctl('client-secret', 'create', String(id));
  secrets.push(String(secret));
  const audience = configOf(request).defaultAudience;
  say('deploys the probe');
  const issuer = { issuer: Issuer, jwksUri: JwksUri, audience };
  const probe = await deployment.deployProbe(issuer);
  const account = accountOf(record);
  return {
    ...account,
    ...issuer,
    name,
    awsRegion,
    probe,
    fetch,
    shakeHands,
    authctl,
    tokenUrl: TokenUrl,
    otherTokenUrl: awsRegions[1] && `https://${regionIds[1]}.${domain?.name}${tokenPath}`,
    client: { clientId: String(id), clientSecret: String(secret) },
    logGroups: record.things.filter(({ kind }) => kind === 'log group').map((one) => one.name),
    intend: (...things) => record.intend(...things),
    redeploy: (change) => deployment.deployService(change),
    deployAnew: () => deployment.deployAnew(account),
  };
}

async function findVersions(): Promise<Readonly<Record<string, string>>> {
  const file = readFileSync(join(root, 'package.json'), 'utf8');
  const { version, devDependencies } = JSON.parse(file) as {
    readonly version: string;
    readonly devDependencies: { readonly 'aws-cdk': string };
  };
  const { code, stdout } = await runCommand(['git', 'rev-parse', '--short', 'HEAD'], { cwd: root });
  const commit = code === 0 ? stdout.trim() : 'unknown';
  return { version, commit, CDK: devDependencies['aws-cdk'], Node: process.version };
}

function report(record: RunRecord, secrets: readonly string[] = []): void {
  const { sum, isGood } = writeReport(record, isEmulator, secrets);
  say(`${sum}: ${join(record.folder, 'proof.md')}`);
  process.exitCode = isGood ? 0 : 1;
}

async function prove(): Promise<void> {
  const name = `prove-${randomBytes(3).toString('hex')}`;
  const folder = resolve('.prove', name);
  const record = RunRecord.create(folder, name, listRegions());
  const account = accountOf(record);
  const caller = await findCaller(account.aws);
  const request = requestOf(name, caller.account, caller.roleArn);
  record.note(await findVersions());
  record.note(await look(account.aws, caller, name, request.awsRegions[0]));
  const { text, facts } = describePlan(configOf(request), getBundles());
  record.note(facts);
  for (const [fact, value] of Object.entries(record.contents.facts)) say(`${fact}: ${value}`);
  process.stdout.write(`${text}If you interrupt it: npm run prove -- --clean ${folder}\n`);
  await confirm();
  const secrets: string[] = [];
  const make = () => deploy(request, record, secrets);
  await runAll(record, account, make, { isEmulator, say });
  report(record, secrets);
}

async function cleanLater(folder: string): Promise<void> {
  const record = RunRecord.open(folder);
  await clean(accountOf(record), record, say);
  report(record);
}

await (options.clean === undefined ? prove() : cleanLater(resolve(options.clean)));
