import { createTable } from '../../support/create-tables.ts';
import type { CreateProgram } from '../program.ts';
import { type FromSynth, readSynthesisedDeployment } from './synthesised-deployment.ts';
import { createSynthesisedFunctions } from './synthesised-functions.ts';

/** The service from what `cdk synth` wrote. */
export function fromTemplates(from: FromSynth): CreateProgram {
  return (issuer) => {
    const deployment = readSynthesisedDeployment(from, issuer);
    return {
      deployment,
      createTables: async (dynamodb) => {
        await Promise.all(deployment.contents.tables.map((table) => createTable(dynamodb, table)));
      },
      createAccess: async (options) => {
        // Here and not above: tests that only read the templates do not load the engine of IAM.
        const { createAccess } = await import('./access.ts');
        return createAccess(deployment, options);
      },
      createFunctions: (surroundings) => createSynthesisedFunctions(deployment, surroundings),
    };
  };
}
