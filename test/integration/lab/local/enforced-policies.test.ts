import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fromTemplates } from '../../../../lab/local/from-synth/program.ts';
import { type LocalRun, startLocal } from '../../../../lab/local/start-local.ts';
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { synthesiseService } from './synthesise-service.ts';
import { requestToken } from './use-local-service.ts';

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

/** A deployment waits for permissions as long as its function may run: here, for one attempt. */
function failSoon(resources: Resources): void {
  for (const [id, { Type, Properties }] of Object.entries(resources)) {
    if (Type !== 'AWS::Lambda::Function' || !id.startsWith('FunctionsKeyRotation')) continue;
    Properties.Timeout = 18;
  }
}

it('a deployment from templates ends without a service if the token function has the role of another one', async () => {
  const denied: string[] = [];
  const starting = startWith((resources) => {
    failSoon(resources);
    const [token] = named(resources, 'AWS::Lambda::Function', 'FunctionsTokenHandler');
    const [jwks] = named(resources, 'AWS::Lambda::Function', 'FunctionsJwksHandler');
    if (token === undefined || jwks === undefined) throw new Error('a function is missing');
    token.Properties.Role = jwks.Properties.Role;
  }, denied);
  await expect(starting).rejects.toThrow();
  expect(denied.join('\n')).toMatch(
    /local-slc-jwks\/local-token is not authorized to perform: (?:dynamodb|kms):/,
  );
});

it('a service from templates refuses a path that API Gateway has no permission for, and serves the others', async () => {
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
