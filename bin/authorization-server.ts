#!/usr/bin/env node
import { resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { DeploymentConfigError } from '../contract/deployment-config.ts';
import { addAuthorizationServer } from '../lib/authorization-server.ts';
import { ConfigFileError, readDeploymentConfigFile } from '../lib/deployment-config-file.ts';
import { checkAgainstRulePacks } from './rule-packs.ts';

try {
  const app = new App();
  const config = readDeploymentConfigFile(app.node.tryGetContext('config'));
  addAuthorizationServer(app, config, { bundles: resolve(import.meta.dirname, '../dist/lambda') });
  checkAgainstRulePacks(app);
  app.synth();
} catch (error) {
  // The message is for the author of the config. A stack trace would hide it.
  if (!(error instanceof DeploymentConfigError) && !(error instanceof ConfigFileError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
