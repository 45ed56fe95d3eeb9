import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { type FunctionName, functionName } from '../../../contract/function-names.ts';
import { signingKeyRecordTypes, tableName } from '../../../contract/tables.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import type { NamedPolicy } from '../../../lab/emulator/iam/evaluate-request.ts';
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { loadCertificate } from '../../../lab/local/certificate.ts';
import { readAssembly } from '../../../lab/local/from-synth/assembly.ts';
import { readStackPolicies } from '../../../lab/local/from-synth/stack-policies.ts';
import { readSynthesisedDeployment } from '../../../lab/local/from-synth/synthesised-deployment.ts';
import type { LocalRun } from '../../../lab/local/start-local.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import { bodyOf } from '../../../lab/support/platforms/hostile-world.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import { waitUntil } from '../../../lab/support/wait-until.ts';
import { figure } from '../../support/figure.ts';
import { requestToken } from '../lab/local/use-local-service.ts';
import { readDeployedUses } from './deployed-uses.ts';
import { FirstDeployments } from './first-deployment.ts';
import {
  droppedActions,
  isKilled,
  type Mutant,
  swappedRoles,
  widenedConditions,
} from './mutants.ts';
import {
  createRestoredTables,
  expectedTours,
  prepareTour,
  runTour,
  type TourResult,
} from './operator-tour.ts';
import { decideProbes, type Probe } from './probes.ts';
import { unusedActions, unusedConditions } from './reviewed.ts';
import { readKeyPolicy, tryKey } from './signing-key-attempts.ts';
import { countUses, distinct, listActions, listPolicies } from './statements.ts';
import { useEnforcedService } from './use-enforced-service.ts';

const enforced = useEnforcedService({ federatedClients: {} }, { https: true });
const year = 365 * 86_400;

function invoke(name: FunctionName, event: object): Promise<unknown> {
  const call = createInvokeFunction(createLambdaClient(enforced.run().aws));
  return call(functionName('local', name), event);
}

/** Moves every time of the signing keys back, so that each is due for its next state. */
async function ageKeys(): Promise<void> {
  const dynamodb = new DynamoDBClient(dynamodbOptions());
  const TableName = tableName('local', 'signingKeys');
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'record_type = :type',
      ExpressionAttributeValues: { ':type': { S: signingKeyRecordTypes.key } },
    }),
  );
  for (const item of Items) {
    // As an update: the rotation may write the same record meanwhile.
    const times = Object.keys(item).filter((name) => name.endsWith('_at'));
    await dynamodb.send(
      new UpdateItemCommand({
        TableName,
        Key: {
          record_type: item['record_type'] ?? { S: '' },
          record_id: item['record_id'] ?? { S: '' },
        },
        UpdateExpression: `SET ${times.map((name) => `${name} = ${name} - :year`).join(', ')}`,
        ExpressionAttributeValues: { ':year': { N: String(year) } },
      }),
    );
  }
  dynamodb.destroy();
}

function dynamodbOptions() {
  const { aws } = enforced.run();
  return {
    region: aws.region ?? '',
    endpoint: aws.endpointDynamoDb ?? '',
    credentials: aws.credentials,
  };
}

function hasCalled(action: string): boolean {
  return enforced.decisions.some((one) => one.action === action && one.result === 'Allowed');
}

/** The whole life of a signing key, in a few runs. */
async function retireKeys(): Promise<void> {
  const deadline = performance.now() + hangLimit;
  while (!hasCalled('kms:ScheduleKeyDeletion') && performance.now() < deadline) {
    await ageKeys();
    await invoke('key-rotation', { action: 'reconcile' });
  }
}

/** EventBridge invokes the rotation and then the canary. */
async function awaitSchedule(): Promise<void> {
  const isDone = () =>
    enforced.decisions.some(
      ({ principal, resource }) =>
        principal === 'events.amazonaws.com' && resource.endsWith('canary'),
    );
  const deadline = performance.now() + hangLimit;
  while (!isDone() && performance.now() < deadline) await sleep(100);
}

/** CloudFormation's side of a custom resource. */
async function checkDeployment(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200).end());
  });
  const port = await listenOnLoopback(server);
  await invoke('deployment-check', {
    RequestType: 'Update',
    ResponseURL: `http://127.0.0.1:${port}/answer`,
    StackId: 'arn:aws:cloudformation:us-west-2:000000000000:stack/local/1',
    RequestId: 'request',
    LogicalResourceId: 'DeploymentCheck',
    PhysicalResourceId: 'deployment-check',
    ResourceProperties: { ServiceToken: 'arn', SigningAlgorithms: ['RS256'], Regions: ['slc'] },
  });
  await closeServer(server);
}

const subject = 'system:serviceaccount:voice:dialer';

/** What a workload does: a token for its assertion, whose use is then in the client's record. */
async function exchangeAssertion({ issuer, tokenUrl }: LocalRun) {
  const { discoveryUrl, issuer: iss, key } = platform;
  await enforced.json(['provider', 'register', discoveryUrl, '--client-id-claim', 'sub']);
  const { client_id: clientId = '' } = await enforced.json(
    ['client', 'create', '--name', 'Dialer', '--trunk-group', 'tg', '--scope', 'calls:view'].concat(
      ['--provider', iss, '--external-client-id', subject],
    ),
  );
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss, sub: subject, aud: issuer, iat, exp: iat + 600 };
  const body = bodyOf('client_assertion', signToken(key, claims, { typ: 'JWT' }));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status } = await fetch(tokenUrl, { method: 'POST', headers, body });
  const lastUsedOn = await waitUntil('the use is recorded', async () => {
    return (await enforced.json(['client', 'show', clientId]))['last_used_on'];
  });
  return { status, lastUsedOn };
}

/** The deployment check looks at its table only when nothing runs yet. The service here does. */
async function deployFirst(): Promise<void> {
  const deployment = readSynthesisedDeployment(enforced.fromSynth(), 'http://localhost:8080');
  const deployments = new FirstDeployments(deployment, (request) => decisions.push(request));
  await deployments.deploy({ seed: 1, longest: { policy: 0, tag: 0 } });
}

/** Every request that IAM decided: of a first deployment and of the service that runs. */
const decisions: DecidedRequest[] = [];
const operators = Object.keys(expectedTours);
const tours: Record<string, Readonly<Record<string, TourResult>>> = {};
let keyAttempts: readonly string[] = [];
let policies: readonly NamedPolicy[] = [];
let roles: readonly (readonly NamedPolicy[])[] = [];
let probes: readonly Probe[] = [];
let workload: Awaited<ReturnType<typeof exchangeAssertion>>;
/** What was requested over the wire, and what the emulated KMS has no operation for. */
let requests: readonly DecidedRequest[] = [];
let provider: LoopbackProvider;
/** The functions trust its certificate. */
let platform: LoopbackProvider;

/** Every function and every operator does what it is there for. */
beforeAll(async () => {
  const service = enforced.run();
  provider = await startLoopbackProvider();
  const tls = await loadCertificate(service.paths.tls, Date.now());
  platform = await startLoopbackProvider(tls);
  expect((await requestToken(service)).status).toBe(200);
  workload = await exchangeAssertion(service);
  for (const url of [service.jwksUri, `${service.issuer}/health`]) {
    expect((await fetch(url)).status).toBe(200);
  }
  for (const document of ['openid-configuration', 'oauth-authorization-server']) {
    expect((await fetch(`${service.issuer}/.well-known/${document}`)).status).toBe(200);
  }
  await invoke('synthetic-check', {});
  await invoke('synthetic-check', {});
  await invoke('notices', { scheduled_time: '2027-01-15T12:00:00Z' });
  await invoke('canary', {});
  await checkDeployment();
  keyAttempts = await tryKey(service);
  await createRestoredTables(enforced);
  for (const operator of operators) {
    const items = await prepareTour(enforced, provider);
    tours[operator] = await runTour(enforced, operator, items);
  }
  await retireKeys();
  await awaitSchedule();
  const stack = readStackPolicies(readAssembly(enforced.fromSynth().directory));
  const keyPolicy = await readKeyPolicy(service);
  policies = [...listPolicies(stack), keyPolicy];
  const { policies: rotation = [] } = stack.roles.get(functionName('local', 'key-rotation')) ?? {};
  probes = await decideProbes({ keyPolicy, rotation, topics: stack.topics });
  await deployFirst();
  decisions.push(...enforced.decisions);
  requests = distinct([...decisions, ...probes]);
  roles = [...stack.roles].flatMap(([name, role]) =>
    name.startsWith('local-') ? [role.policies] : [],
  );
});

afterAll(async () => {
  await platform.close();
  await provider.close();
});

describe('statements of the policies', () => {
  it('are each used by a request, or the review has the reason', () => {
    const actions = listActions(policies);
    const uses = countUses(actions, [...decisions, ...probes]);
    const unused = [...uses]
      .filter(([, count]) => count === 0)
      .map(([{ policy, effect, action }]) => `${policy}: ${effect} ${action}`);
    const deployed = readDeployedUses();
    figure('statements of policies', {
      policies: policies.length,
      statements: policies.flatMap(({ document }) => document.Statement).length,
      actions: actions.length,
      unused: unused.length,
      'of these used by test:deploy': unused.filter((name) => deployed.has(name)).length,
      requests: decisions.length,
      'different requests': requests.length,
    });
    expect(unused.toSorted()).toEqual(Object.keys(unusedActions).toSorted());
  });

  it('deny nothing but what the tours and the key policy tests try', () => {
    const denied = decisions
      .filter(({ result, principal }) => result !== 'Allowed' && !principal.includes(':user/'))
      .map(({ principal, action, resource }) => `${principal} ${action} ${resource}`);
    expect([...new Set(denied)]).toEqual([]);
  });
});

describe('the token function of the templates', () => {
  it('gets a token for an assertion with its own role, and records the use', () => {
    expect(workload).toEqual({
      status: 200,
      lastUsedOn: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });
});

describe('the management function of the templates', () => {
  it('connects to a provider on loopback, whose certificate its process does not know', async () => {
    const register = ['provider', 'register', provider.discoveryUrl, '--yes'];
    const { stderr } = await enforced.authctl(register);
    expect(stderr).toContain('its certificate is not trusted');
  });
});

describe('the key policy', () => {
  it('keeps an administrator from the use and the end of a signing key', () => {
    expect(keyAttempts).toEqual(keyAttempts.map(() => 'AccessDeniedException'));
  });
});

describe('policies that no call of the tests reaches', () => {
  it('forbid what principals with every other permission try, and let services publish', () => {
    const results = probes.map(({ name, result }) => [name, result]);
    expect(results).toEqual(probes.map(({ name, expected }) => [name, expected]));
    expect(probes.length).toBeGreaterThan(13);
  });
});

describe('authctl', () => {
  it.each(operators)('under the policy of %s does what the policy allows', (operator) => {
    expect(tours[operator]).toEqual(expectedTours[operator]);
  });
});

async function surviving(mutants: readonly Mutant[]): Promise<readonly string[]> {
  const survivors: string[] = [];
  for (const mutant of mutants) if (!(await isKilled(mutant))) survivors.push(mutant.name);
  return survivors;
}

describe('a change of a policy changes what happens to a request', () => {
  it('if an action is taken away', async () => {
    const mutants = droppedActions(policies, requests);
    const survivors = await surviving(mutants);
    figure('dropped actions', { mutants: mutants.length, survived: survivors.length });
    const reviewed = Object.keys(unusedActions).map((name) => name.replace(': ', ' without '));
    const names = survivors.map((name) => name.replace(/ \(statement \d+\)$/, ''));
    expect(names.toSorted()).toEqual(reviewed.toSorted());
  });

  it('if a condition is taken away', async () => {
    const mutants = await widenedConditions(policies, requests);
    const survivors = await surviving(mutants);
    figure('widened conditions', { mutants: mutants.length, survived: survivors.length });
    expect(survivors.toSorted()).toEqual(Object.keys(unusedConditions).toSorted());
  });

  it('if two roles are swapped', async () => {
    const mutants = swappedRoles(roles, requests);
    const survivors = await surviving(mutants);
    figure('swapped roles', { mutants: mutants.length, survived: survivors.length });
    expect(survivors).toEqual([]);
  });
});
