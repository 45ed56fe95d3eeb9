import { createAwsClients } from '../../adapters/aws-clients.ts';
import { sendAnswer } from '../../adapters/cloudformation/send-answer.ts';
import { deploymentCheckVariables } from '../../contract/environments/deployment-check.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createDeploymentCheckHandler } from './function.ts';

export const handler = createDeploymentCheckHandler(
  readVariables('deployment-check', deploymentCheckVariables, process.env),
  createAwsClients({ profile: 'background' }),
  { sendAnswer },
);
