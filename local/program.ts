import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AwsClientOptions } from '../adapters/aws-client-options.ts';
import { createTable, createTables } from '../adapters/dynamodb/create-tables.ts';
import { type FromSynth, readSynthesisedDeployment } from './from-synth/synthesised-deployment.ts';
import { createSynthesisedFunctions } from './from-synth/synthesised-functions.ts';
import { createFunctions, type LocalFunctions } from './functions.ts';
import {
  buildLocalDeployment,
  type LocalDeployment,
  type LocalDeploymentOptions,
} from './local-deployment.ts';
import type { LogFile } from './log-file.ts';

/** What functions find around them. */
export interface Surroundings {
  readonly issuer: string;
  readonly clientOptions: AwsClientOptions;
  readonly lambdaEndpoint: string;
  readonly log: LogFile;
  /** Certificates to trust besides those of Node: PEM, and the file that holds it. */
  readonly ca: string | undefined;
  readonly caPath: string | undefined;
  /** Milliseconds since the epoch; this machine's clock where left out. */
  readonly clock?: (() => number) | undefined;
}

/** What a local run runs. */
export interface Program {
  readonly deployment: LocalDeployment;
  readonly createTables: (dynamodb: DynamoDBClient) => Promise<void>;
  readonly createFunctions: (surroundings: Surroundings) => LocalFunctions;
}

function fromSources(issuer: string, options: LocalDeploymentOptions): Program {
  const deployment = buildLocalDeployment(issuer, options);
  const { config } = deployment;
  return {
    deployment,
    createTables: (dynamodb) => createTables(dynamodb, config.name),
    createFunctions: ({ clientOptions, log, ca, clock }) =>
      createFunctions(config, issuer, clientOptions, log, {
        ca,
        ...(clock !== undefined && { clock }),
      }),
  };
}

function fromTemplates(issuer: string, from: FromSynth): Program {
  const deployment = readSynthesisedDeployment(from, issuer);
  return {
    deployment,
    createTables: async (dynamodb) => {
      await Promise.all(deployment.contents.tables.map((table) => createTable(dynamodb, table)));
    },
    createFunctions: (surroundings) => createSynthesisedFunctions(deployment, surroundings),
  };
}

/**
 * The service from this project's sources or, where `fromSynth` is given, from what `cdk synth`
 * wrote.
 *
 * @throws {LocalRunError} for a synthesis that cannot be run here.
 */
export function chooseProgram(
  issuer: string,
  options: LocalDeploymentOptions & { readonly fromSynth?: FromSynth | undefined },
): Program {
  const { fromSynth } = options;
  return fromSynth === undefined ? fromSources(issuer, options) : fromTemplates(issuer, fromSynth);
}
