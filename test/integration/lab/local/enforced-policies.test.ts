import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fromTemplates } from '../../../../lab/local/from-synth/program.ts';
import { type LocalRun, startLocal } from '../../../../lab/local/start-local.ts';
import { synthesiseService } from './synthesise-service.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';
import { requestToken } from './use-local-service.ts';

interface Statement {
  readonly Action: string | readonly string[];
}

interface Resource {
  readonly Type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- CloudFormation's shape
  readonly Properties: any;
}

type Resources = Record<string, Resource>;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Starts the service from templates after a change of one of their resources. */
async function startWith(
  change: (resources: Resources) => void,
  denied: string[] = [],
): Promise<LocalRun> {
  const folder = makeTemporaryDirectory();
  cleanUps.push(() => folder.remove());
  const fromSynth = synthesiseService(folder.path, {});
  const path = join(fromSynth.directory, 'AuthorizationServer-slc.template.json');
  const template = JSON.parse(readFileSync(path, 'utf8')) as { readonly Resources: Resources };
  const before = JSON.stringify(template);
  change(template.Resources);
  expect(JSON.stringify(template)).not.toBe(before);
  writeFileSync(path, JSON.stringify(template));
  const service = await startLocal({
    port: 0,
    stateDirectory: folder.path,
    program: fromTemplates(fromSynth),
    onDecision: (request) => {
      if (request.result === 'Allowed') return;
      denied.push(`${request.principal} is not authorized to perform: ${request.action}`);
    },
  });
  cleanUps.push(() => service.close());
  return service;
}

function named(resources: Resources, type: string, id: string): readonly Resource[] {
  return Object.entries(resources)
    .filter(([name, { Type }]) => Type === type && name.startsWith(id))
    .map(([, resource]) => resource);
}

function policyOf(resources: Resources, role: string): { Statement: Statement[] } {
  const found = Object.entries(resources).find(
    ([id, { Type }]) => Type === 'AWS::IAM::Policy' && id.startsWith(`Functions${role}Role`),
  );
  return found?.[1].Properties.PolicyDocument;
}

function dropAction(role: string, action: string): (resources: Resources) => void {
  return (resources) => {
    const policy = policyOf(resources, role);
    policy.Statement = policy.Statement.filter(({ Action }) => ![Action].flat().includes(action));
  };
}

/** A deployment waits for permissions as long as its function may run: here, for one attempt. */
function failSoon(resources: Resources): void {
  for (const [id, { Type, Properties }] of Object.entries(resources)) {
    if (Type !== 'AWS::Lambda::Function' || !id.startsWith('FunctionsKeyRotation')) continue;
    Properties.Timeout = 18;
  }
}

const refusedFirstKeys: readonly [what: string, (resources: Resources) => void, RegExp][] = [
  [
    'the role of the token function may not sign',
    dropAction('Token', 'kms:Sign'),
    /local-slc-token\/local-token is not authorized to perform: kms:Sign/,
  ],
  [
    'the role of the rotation may not make keys',
    dropAction('KeyRotation', 'kms:CreateKey'),
    /local-slc-key-rotation\/local-key-rotation is not authorized to perform: kms:CreateKey/,
  ],
  [
    'the token function has the role of the JWKS function',
    (resources) => {
      const [token] = named(resources, 'AWS::Lambda::Function', 'FunctionsTokenHandler');
      const [jwks] = named(resources, 'AWS::Lambda::Function', 'FunctionsJwksHandler');
      if (token === undefined || jwks === undefined) throw new Error('a function is missing');
      token.Properties.Role = jwks.Properties.Role;
    },
    /local-slc-jwks\/local-token is not authorized to perform: (?:dynamodb|kms):/,
  ],
];

describe('a deployment from templates ends without a service', () => {
  it.each(refusedFirstKeys)('if %s', async (_, change, message) => {
    const denied: string[] = [];
    const starting = startWith((resources) => {
      failSoon(resources);
      change(resources);
    }, denied);
    await expect(starting).rejects.toThrow();
    expect(denied.join('\n')).toMatch(message);
  });
});

describe('a service from templates', () => {
  it('refuses a path that API Gateway has no permission for, and serves the others', async () => {
    const service = await startWith((resources) => {
      const [permission] = named(
        resources,
        'AWS::Lambda::Permission',
        'FunctionsTokenLiveInvokeapiv1oauthtoken',
      );
      if (permission !== undefined) permission.Properties.SourceArn = 'arn:aws:execute-api:::other';
    });
    const { status } = await requestToken(service);
    expect(status).toBe(503);
    expect((await fetch(service.jwksUri)).status).toBe(200);
  });
});
