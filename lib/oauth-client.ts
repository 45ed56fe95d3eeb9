import { Annotations, Aws, type CfnElement, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { defaultDeploymentName, functionName } from '../contract/function-names.ts';
import type { ClientField, NewClient } from '../contract/management/inputs.ts';
import { stackAlias } from '../contract/reach.ts';

/** What {@link OAuthClient} declares: the fields of a client, as management takes them. */
export interface OAuthClientProps
  extends Pick<NewClient, Exclude<ClientField, 'tokenLifetime' | 'allowOtherGrant'>> {
  /** AWS account of the authorization server. It is in the AWS region of the stack. */
  readonly deploymentAccount: string;
  /**
   * Name of the authorization server's deployment.
   *
   * @default authorization-server
   */
  readonly deploymentName?: string;
  /** @default the deployment's default lifetime */
  readonly tokenLifetime?: Duration;
  /**
   * All keys of a client that authenticates with its own (`private_key_jwt`), as JWK or PEM.
   *
   * @default those that people give it
   */
  readonly publicKeys?: readonly string[];
  /** Id of a client that exists and becomes this resource. It must stay here. */
  readonly adoptClientId?: string;
  /**
   * The resource's name in the template, which the client follows from. With it, the construct may move
   * to another place in the app.
   *
   * @default from the construct's place in the app
   */
  readonly logicalId?: string;
}

/**
 * A client of an authorization server, as a resource of your stack. There is no secret in the stack:
 * who needs one makes it with `authctl`. When the resource is deleted, the client is disabled.
 *
 * @example
 * const billing = new OAuthClient(scope, 'Billing', {
 *   deploymentAccount: '111122223333',
 *   name: 'Billing',
 *   serviceTrunkGroup: 'tg-1001',
 *   scopes: ['messaging:view'],
 * });
 */
export class OAuthClient extends Construct {
  readonly clientId: string;

  constructor(scope: Construct, id: string, props: OAuthClientProps) {
    super(scope, id);
    const { deploymentAccount, deploymentName, tokenLifetime, logicalId, ...client } = props;
    const management = functionName(deploymentName ?? defaultDeploymentName, 'management');
    const resource = new CustomResource(this, 'Default', {
      resourceType: 'Custom::OAuthClient',
      serviceToken: `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${deploymentAccount}:function:${management}:${stackAlias(Aws.ACCOUNT_ID)}`,
      // The function runs for a minute, and Lambda repeats what failed twice, within three.
      serviceTimeout: Duration.minutes(10),
      properties: { ...client, tokenLifetime: tokenLifetime?.toSeconds() },
    });
    this.clientId = resource.ref;
    const element = resource.node.defaultChild as CfnElement;
    if (logicalId === undefined) this.node.addValidation({ validate: () => this.tellId(element) });
    else element.overrideLogicalId(logicalId);
  }

  private tellId(element: CfnElement): string[] {
    const id = Stack.of(this).getLogicalId(element);
    Annotations.of(this).addInfoV2(
      'authorization-server:logical-id',
      `the client follows from the logical id: with logicalId: '${id}' it stays the same if the construct moves, which else disables it and makes another`,
    );
    return [];
  }
}
