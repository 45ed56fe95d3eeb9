import { createAwsClients } from '../../adapters/aws-clients.ts';
import { sendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createDeploymentCheckHandler } from './function.ts';

export const handler = createDeploymentCheckHandler(
  readEnvironment('deployment-check', process.env),
  createAwsClients({ profile: 'background' }),
  { sendAnswer },
);
