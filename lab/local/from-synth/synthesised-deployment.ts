import { readFileSync } from 'node:fs';
import { deployedRegions, parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import {
  discoveryEnvironment,
  type FederationVariables,
  tokenEnvironment,
} from '../../../contract/function-environments.ts';
import { functionName } from '../../../contract/function-names.ts';
import type { NamedPolicy, PolicyDocument } from '../../emulator/iam/evaluate-request.ts';
import { LocalRunError } from '../../emulator/loopback-server.ts';
import { readConfigFile } from '../config-file.ts';
import { describeEnvironments } from '../environment-source.ts';
import { exampleScopes, type LocalDeployment } from '../local-deployment.ts';
import { readAssembly } from './assembly.ts';
import {
  readStackContents,
  type StackContents,
  type SynthesisedFunction,
} from './stack-contents.ts';

/** The output of `cdk synth`, and its input. */
export interface FromSynth {
  /** The CDK's output. */
  readonly directory: string;
  /** Path of the deployment config that was synthesised. */
  readonly config: string;
  /** Path of the document of the permissions boundary that the config names by its ARN. */
  readonly permissionsBoundary?: string | undefined;
}

export interface SynthesisedDeployment extends LocalDeployment {
  readonly contents: StackContents;
  readonly permissionsBoundary?: NamedPolicy | undefined;
}

/** The templates name the boundary by its ARN, and do not contain it. */
function readBoundary(
  { policies }: StackContents,
  { permissionsBoundary: path }: FromSynth,
): NamedPolicy | undefined {
  const arn = [...policies.roles.values()].find(({ boundaryArn }) => boundaryArn)?.boundaryArn;
  if (arn === undefined && path === undefined) return undefined;
  if (arn === undefined) {
    throw new LocalRunError('--permissions-boundary: the roles of the templates have no boundary');
  }
  if (path === undefined) {
    throw new LocalRunError(
      `the roles have the permissions boundary ${arn}, which is not in the templates: name the file of its policy with --permissions-boundary <file>`,
    );
  }
  try {
    return { name: arn, document: JSON.parse(readFileSync(path, 'utf8')) as PolicyDocument };
  } catch (cause) {
    throw new LocalRunError(`the permissions boundary ${path} is no JSON file`, { cause });
  }
}

function readConfig(path: string, issuer: string): LocalDeployment {
  const found = readConfigFile(path);
  if (deployedRegions(found.config).length > 1) {
    throw new LocalRunError(`${path} has several regions; allowed: a config with one region`);
  }
  const { domain: _, ...rest } = found.input;
  const input = { ...rest, issuer };
  const config = parseDeploymentConfig(input, { allowLoopbackIssuer: true });
  return { input, config, demoScopes: exampleScopes(config) };
}

/** A complete address, not the beginning of a longer one. */
function addressPattern(address: string): RegExp {
  const literal = address.replaceAll('.', String.raw`\.`);
  return new RegExp(`${literal}(?![\\w.:-])`, 'g');
}

/** The names of the API on AWS have become one, so its token endpoints have, too. */
function joinTokenEndpoints(name: string, value: string): string {
  if (name !== 'AUTH_FEDERATED_CLIENTS' || !value.startsWith('{')) return value;
  const { tokenEndpoints, ...rest } = JSON.parse(value) as FederationVariables;
  return JSON.stringify({ ...rest, tokenEndpoints: [...new Set(tokenEndpoints)] });
}

/** Replaces every address of the API on AWS with the address on this machine. */
function serveLocally(contents: StackContents, issuer: string): StackContents {
  const patterns = contents.addresses.map(addressPattern);
  const localise = (text: string): string =>
    patterns.reduce((result, pattern) => result.replace(pattern, issuer), text);
  const localiseFunction = (fn: SynthesisedFunction): SynthesisedFunction => ({
    ...fn,
    variables: Object.fromEntries(
      Object.entries(fn.variables).map(([name, value]) => [
        name,
        joinTokenEndpoints(name, localise(value)),
      ]),
    ),
  });
  const functions = [...contents.functions].map(
    ([name, fn]) => [name, localiseFunction(fn)] as const,
  );
  return { ...contents, functions: new Map(functions) };
}

/** @throws {LocalRunError} if the templates were made from another config. */
function checkSameConfig({ config, contents }: SynthesisedDeployment, from: FromSynth): void {
  const source = describeEnvironments(config, config.issuer ?? '');
  const expected = { token: tokenEnvironment(source), discovery: discoveryEnvironment(source) };
  for (const [name, variables] of Object.entries(expected)) {
    const found = contents.functions.get(functionName(config.name, name as 'token'))?.variables;
    const differs = Object.entries(variables).find(([key, value]) => found?.[key] !== value)?.[0];
    if (differs === undefined) continue;
    throw new LocalRunError(
      `${from.directory} was not made of ${from.config} as it is now: ${differs} of the ${name} function differs. Run "npx cdk synth" again, or name its config with --config`,
    );
  }
}

/**
 * Reads the output of `cdk synth`, to run it on this machine.
 *
 * @throws {LocalRunError} if it is missing, has several regions or is from another config.
 */
export function readSynthesisedDeployment(from: FromSynth, issuer: string): SynthesisedDeployment {
  const contents = serveLocally(readStackContents(readAssembly(from.directory)), issuer);
  const permissionsBoundary = readBoundary(contents, from);
  const deployment = { ...readConfig(from.config, issuer), contents, permissionsBoundary };
  checkSameConfig(deployment, from);
  return deployment;
}
