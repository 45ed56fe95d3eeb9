import { App } from 'aws-cdk-lib';
import { addAuthorizationServer } from '../../../lib/authorization-server.ts';
import { readDeploymentConfigFile } from '../../../lib/deployment-config-file.ts';

/* The CDK app of a deployment, with the function bundles of a folder. */
const app = new App();
const config = readDeploymentConfigFile(app.node.tryGetContext('config'));
addAuthorizationServer(app, config, { bundles: String(app.node.tryGetContext('bundles')) });
app.synth();
