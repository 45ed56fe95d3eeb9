#!/usr/bin/env node
import { resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { addAuthorizationServer } from '../lib/authorization-server.ts';
import { readDeploymentConfigFile } from '../lib/deployment-config-file.ts';
import { checkAgainstRulePacks } from '../lib/rule-packs.ts';

const app = new App();
const config = readDeploymentConfigFile(app.node.tryGetContext('config'));
addAuthorizationServer(app, config, { bundles: resolve(import.meta.dirname, '../dist/lambda') });
checkAgainstRulePacks(app);
app.synth();
