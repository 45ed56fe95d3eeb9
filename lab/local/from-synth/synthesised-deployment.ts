import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import type { Settings } from '../../../contract/function-settings.ts';
import { settingsVariable } from '../../../contract/read-settings.ts';
import { readConfigFile } from '../config-file.ts';
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
}

export interface SynthesisedDeployment extends LocalDeployment {
  readonly contents: StackContents;
}

function readConfig(path: string, issuer: string): LocalDeployment {
  const { domain: _, ...rest } = readConfigFile(path).input;
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
  if (name !== settingsVariable) return value;
  const settings = JSON.parse(value) as Partial<Settings<'token'>>;
  for (const part of [settings.federatedClients, settings.dpop]) {
    if (typeof part !== 'object') continue;
    Object.assign(part, { tokenEndpoints: [...new Set(part.tokenEndpoints)] });
  }
  return JSON.stringify(settings);
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

/**
 * Reads the output of `cdk synth`, to run it on this machine.
 *
 * @throws {LocalRunError} for what the local run does not understand.
 */
export function readSynthesisedDeployment(from: FromSynth, issuer: string): SynthesisedDeployment {
  const contents = serveLocally(readStackContents(readAssembly(from.directory)), issuer);
  return { ...readConfig(from.config, issuer), contents };
}
