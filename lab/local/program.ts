import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTables } from '../support/create-tables.ts';
import type { Access, AccessOptions } from './from-synth/access.ts';
import { createFunctions, type LocalFunctions } from './functions.ts';
import type { LocalAwsOptions } from './local-aws-options.ts';
import {
  buildLocalDeployment,
  type LocalDeployment,
  type LocalDeploymentOptions,
} from './local-deployment.ts';
import type { LogFile } from './log-file.ts';

/** The environment of the functions. */
export interface Surroundings {
  readonly issuer: string;
  readonly clientOptions: LocalAwsOptions;
  readonly lambdaEndpoint: string;
  /** Whose calls are allowed. Left out: every signed call is. */
  readonly access?: Access | undefined;
  readonly log: LogFile;
  /** Certificates to trust in addition to those of Node: PEM, and the file that holds it. */
  readonly ca: string | undefined;
  readonly caPath: string | undefined;
  /** Milliseconds since the epoch. The default is this machine's clock. */
  readonly clock?: (() => number) | undefined;
  /** The clock is moved on purpose, so it is not compared with the times of AWS's answers. */
  readonly isClockMoved?: boolean | undefined;
}

/** What a local run runs. */
export interface Program {
  readonly deployment: LocalDeployment;
  readonly createTables: (dynamodb: DynamoDBClient) => Promise<void>;
  /** Whose calls are allowed. Left out: every signed call is. */
  readonly createAccess?: (options: AccessOptions) => Promise<Access>;
  readonly createFunctions: (surroundings: Surroundings) => LocalFunctions;
}

/**
 * The program of an issuer.
 *
 * @throws {LocalRunError} for a program that cannot run here.
 */
export type CreateProgram = (issuer: string) => Program;

/** The service from this project's sources. */
export function fromSources(options: LocalDeploymentOptions): CreateProgram {
  return (issuer) => {
    const deployment = buildLocalDeployment(issuer, options);
    const { config } = deployment;
    return {
      deployment,
      createTables: (dynamodb) => createTables(dynamodb, config),
      createFunctions: ({ clientOptions, log, ca, clock, isClockMoved }) =>
        createFunctions(config, issuer, {
          clientOptions,
          log,
          ca,
          checkRevocation: options.checkRevocation,
          isClockMoved,
          ...(clock !== undefined && { clock }),
        }),
    };
  };
}
