import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { App, Fn, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  ContainerImage,
  Ec2TaskDefinition,
  FargateTaskDefinition,
  NetworkMode,
} from 'aws-cdk-lib/aws-ecs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  forwardAuthPort,
  forwardAuthUser,
  readyProbe,
} from '../../../examples/ecs/forward-auth-container.ts';
import {
  ForwardAuthSidecar,
  type ForwardAuthSidecarProps,
} from '../../../examples/ecs/forward-auth-sidecar.ts';
import { readOptions } from '../../../verifier/forward-auth/options.ts';
import { readerCondition, readTables } from '../reader-condition.ts';
import { evaluate, resourcesOf } from '../synthesise.ts';

const root = resolve(import.meta.dirname, '../../..');
const tables = 'arn:aws:dynamodb:us-east-1:444455556666:table/authorization-server';

type Props = Omit<ForwardAuthSidecarProps, 'taskDefinition' | 'image'>;

function build(
  given: Partial<Props> & { readonly ownTokensOnly?: boolean } = {},
  networkMode?: NetworkMode,
): Template {
  const stack = new Stack(new App(), 'Messages', { env: { region: 'us-west-2' } });
  const taskDefinition =
    networkMode === undefined
      ? new FargateTaskDefinition(stack, 'Task')
      : new Ec2TaskDefinition(stack, 'Task', { networkMode });
  const proxy = taskDefinition.addContainer('proxy', {
    image: ContainerImage.fromRegistry('nginx'),
    memoryLimitMiB: 128,
  });
  const check = new ForwardAuthSidecar(stack, 'Check', {
    taskDefinition,
    image: ContainerImage.fromRegistry('registry.example.com/forward-auth:0.1.0'),
    issuer: 'https://auth.example.com',
    audiences: ['https://api.example.com', 'messages'],
    tables,
    ...given,
  } as ForwardAuthSidecarProps);
  check.startBefore(proxy);
  return Template.fromStack(stack);
}

function only(template: Template, type: string) {
  const [found, ...others] = Object.values(resourcesOf(template, type));
  if (found === undefined || others.length > 0) throw new Error(`not one ${type}`);
  return found.Properties;
}

interface Container {
  readonly Name: string;
  readonly Environment: readonly { readonly Name: string; readonly Value: string }[];
  readonly DependsOn?: unknown;
}

function containerOf(template: Template, name: string): Container {
  const containers = evaluate(only(template, 'AWS::ECS::TaskDefinition')['ContainerDefinitions']);
  const found = (containers as readonly Container[]).find(({ Name }) => Name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}

function variablesOf(template: Template): Readonly<Record<string, string>> {
  const { Environment } = containerOf(template, 'forward-auth');
  return Object.fromEntries(Environment.map(({ Name, Value }) => [Name, Value]));
}

describe('ForwardAuthSidecar', () => {
  it('is a container without root, capabilities, ports or a file system to write to', () => {
    expect(containerOf(build(), 'forward-auth')).toEqual({
      Name: 'forward-auth',
      Image: 'registry.example.com/forward-auth:0.1.0',
      Essential: true,
      User: '1000:1000',
      ReadonlyRootFilesystem: true,
      LinuxParameters: { Capabilities: { Drop: ['ALL'] } },
      Memory: 256,
      StopTimeout: 10,
      HealthCheck: {
        Command: ['CMD', 'node', '-e', expect.stringContaining('http://127.0.0.1:9100/ready')],
        Interval: 10,
        Timeout: 3,
        StartPeriod: 30,
        Retries: 3,
      },
      Environment: expect.anything(),
      LogConfiguration: {
        LogDriver: 'awslogs',
        Options: {
          'awslogs-group': expect.stringContaining('CheckLogs'),
          'awslogs-region': 'us-west-2',
          'awslogs-stream-prefix': 'forward-auth',
        },
      },
    });
  });

  it('gives the command options that it reads', () => {
    const { AWS_REGION, ...variables } = variablesOf(
      build({ clientAddressHeader: 'X-Real-IP', options: { 'cache-lookups': '5', log: 'all' } }),
    );
    expect(AWS_REGION).toBe('us-west-2');
    expect(readOptions([], variables)).toMatchObject({
      issuer: 'https://auth.example.com',
      audiences: ['https://api.example.com', 'messages'],
      tables,
      clientAddressHeader: 'x-real-ip',
      cacheSeconds: 5,
      log: 'all',
      listen: { host: '127.0.0.1', port: 9100, isBeyondLoopback: false },
    });
  });

  it('lets the task read single records of the three tables, and nothing else', () => {
    const policies = Object.values(resourcesOf(build(), 'AWS::IAM::Policy'));
    const statements = policies.flatMap(({ Properties }) =>
      (evaluate(Properties['PolicyDocument'].Statement) as readonly { Action: unknown }[]).filter(
        ({ Action }) => !JSON.stringify(Action).includes('logs:'),
      ),
    );
    expect(statements).toEqual(
      readTables.map((suffix) => ({
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'],
        Resource: `${tables}-${suffix}`,
        Condition: readerCondition(suffix),
      })),
    );
  });

  it('reads tables of its own account by their name', () => {
    const template = build({ tables: 'authorization-server' });
    expect(JSON.stringify(evaluate(resourcesOf(template, 'AWS::IAM::Policy')))).toContain(
      'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server-api-keys',
    );
    expect(readOptions([], variablesOf(template))).toMatchObject({
      tables: 'authorization-server',
    });
  });

  it('has no permission and reads no table if it accepts only own tokens', () => {
    const template = build({ tables: undefined, ownTokensOnly: true } as never);
    expect(JSON.stringify(resourcesOf(template, 'AWS::IAM::Policy'))).not.toContain('dynamodb');
    expect(readOptions([], variablesOf(template))).toMatchObject({ tables: undefined });
  });

  it('starts before the proxy', () => {
    expect(containerOf(build(), 'proxy').DependsOn).toEqual([
      { ContainerName: 'forward-auth', Condition: 'HEALTHY' },
    ]);
  });

  it('keeps its log', () => {
    const [log] = Object.values(resourcesOf(build(), 'AWS::Logs::LogGroup'));
    expect(log).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { RetentionInDays: 400 },
    });
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'a network that other tasks share',
      () => build({}, NetworkMode.HOST),
      /networkMode: received host; allowed: awsvpc/,
    ],
    ['a bridge', () => build({}, NetworkMode.BRIDGE), /received bridge/],
    ['no audience', () => build({ audiences: [] }), /audiences: received \[\]/],
    ['an audience with a space', () => build({ audiences: ['a b'] }), /without spaces/],
    ['tables with an invalid name', () => build({ tables: 'a b' }), /tables: received "a b"/],
    [
      'tables that only the deployment knows',
      () => build({ tables: Fn.importValue('Tables') }),
      /received a token of CDK/,
    ],
    [
      'an option that has a prop',
      () => build({ options: { listen: '0.0.0.0:9100' } }),
      /options: received "listen"/,
    ],
    [
      'an option as a variable',
      () => build({ options: { FORWARD_AUTH_LOG: 'all' } }),
      /options: received "FORWARD_AUTH_LOG"/,
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(message);
  });
});

describe('what every container of forward-auth shares', () => {
  const dockerfile = readFileSync(join(root, 'examples/forward-auth/Dockerfile'), 'utf8');
  const kubernetes = readFileSync(join(root, 'examples/forward-auth/kubernetes.yaml'), 'utf8');

  it('is in the Dockerfile', () => {
    expect(dockerfile).toContain(`CMD ${JSON.stringify(readyProbe).replaceAll('","', '", "')}`);
    expect(dockerfile).toContain(`USER ${forwardAuthUser}`);
  });

  it('is in the Kubernetes example', () => {
    const { spec } = parse(kubernetes) as {
      spec: { template: { spec: { initContainers: readonly [Record<string, unknown>] } } };
    };
    const [sidecar] = spec.template.spec.initContainers;
    expect(sidecar).toMatchObject({
      startupProbe: { exec: { command: readyProbe } },
      args: expect.arrayContaining([`--listen=127.0.0.1:${forwardAuthPort}`]),
    });
  });
});
