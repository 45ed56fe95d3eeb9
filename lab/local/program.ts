import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable, createTables } from '../../adapters/dynamodb/create-tables.ts';
import { sealedTokenTable, sealedTokenTableName } from '../../contract/tables.ts';
import type { Access, AccessOptions } from './from-synth/access.ts';
import { type FromSynth, readSynthesisedDeployment } from './from-synth/synthesised-deployment.ts';
import { createSynthesisedFunctions } from './from-synth/synthesised-functions.ts';
import { createFunctions, type LocalFunctions } from './functions.ts';
import {
  buildLocalDeployment,
  type LocalDeployment,
  type LocalDeploymentOptions,
} from './local-deployment.ts';
import type { Surroundings } from './surroundings.ts';

/** What a local run runs. */
export interface Program {
  readonly deployment: LocalDeployment;
  readonly createTables: (dynamodb: DynamoDBClient) => Promise<void>;
  /** Whose calls are allowed. Left out: every signed call is. */
  readonly createAccess?: (options: AccessOptions) => Promise<Access>;
  readonly createFunctions: (surroundings: Surroundings) => LocalFunctions;
}

function fromSources(issuer: string, options: LocalDeploymentOptions): Program {
  const deployment = buildLocalDeployment(issuer, options);
  const { config } = deployment;
  return {
    deployment,
    createTables: async (dynamodb) => {
      await createTables(dynamodb, config.name);
      if (config.tokenReuse?.shared !== true) return;
      const name = sealedTokenTableName(config.name);
      await createTable(dynamodb, { ...sealedTokenTable, name });
    },
    createFunctions: ({ clientOptions, log, ca, clock }) =>
      createFunctions(config, issuer, {
        clientOptions,
        log,
        ca,
        checkRevocation: options.checkRevocation,
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
    createAccess: async (options) => {
      // Here and not above: a run from the sources does not load the engine of IAM.
      const { createAccess } = await import('./from-synth/access.ts');
      return createAccess(deployment, options);
    },
    createFunctions: (surroundings) => createSynthesisedFunctions(deployment, surroundings),
  };
}

/**
 * The service from this project's sources or, if `fromSynth` is given, from what `cdk synth`
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
