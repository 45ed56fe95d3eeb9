import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Addresses, addressesOf } from '../contract/addresses.ts';
import type { DeploymentConfig } from '../contract/deployment-config.ts';
import type { RegionId } from '../contract/regions.ts';
import { jwksPath, tokenPath } from '../contract/routes.ts';
import { type TableKey, tableKeys } from '../contract/tables.ts';
import { ApiGatewayAccount } from './api/api-gateway-account.ts';
import { ServiceApi } from './api/service-api.ts';
import { ServiceTable, type ServiceTables } from './data/service-tables.ts';
import { ServiceFunctions } from './functions/service-functions.ts';
import { FirstSigningKey } from './keys/first-signing-key.ts';
import { KeySchedules } from './keys/key-schedules.ts';

export interface RegionStackProps extends StackProps {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  /** Folder of the function bundles, e.g. `dist/lambda`. */
  readonly bundles: string;
}

/** Everything of one platform region. */
export class RegionStack extends Stack {
  constructor(scope: Construct, id: string, props: RegionStackProps) {
    super(scope, id, props);
    const { config, regionId, bundles } = props;
    const tables = this.addTables(config);
    const account = new ApiGatewayAccount(this, 'ApiGatewayAccount');
    const api = new ServiceApi(this, 'Api', {
      deploymentName: config.name,
      hasDomain: config.domain !== undefined,
    });
    api.restApi.deploymentStage.node.addDependency(account);
    const addresses = addressesOf(config, api.address);
    const functions = new ServiceFunctions(this, 'Functions', {
      config,
      regionId,
      addresses,
      tables,
      bundles,
    });
    api.addRoutes({
      token: functions.token.handler,
      discovery: functions.discovery.handler,
      jwks: functions.jwks.handler,
    });
    new KeySchedules(this, 'KeySchedules', functions);
    new FirstSigningKey(this, 'FirstSigningKey', { functions, after: Object.values(tables) });
    this.addOutputs(addresses);
  }

  private addTables(config: DeploymentConfig): ServiceTables {
    return Object.fromEntries(
      tableKeys.map((key) => [
        key,
        new ServiceTable(this, tableId(key), { deploymentName: config.name, table: key }).table,
      ]),
    ) as unknown as ServiceTables;
  }

  private addOutputs(addresses: Addresses): void {
    new CfnOutput(this, 'Issuer', { value: addresses.issuer });
    new CfnOutput(this, 'TokenUrl', { value: `${addresses.issuer}${tokenPath}` });
    new CfnOutput(this, 'JwksUri', { value: `${addresses.issuer}${jwksPath}` });
  }
}

/** `apiKeys` → `ApiKeysTable`. */
function tableId(key: TableKey): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}Table`;
}
