import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CloudFormation,
  paginateDescribeStackEvents,
  paginateListStackResources,
  type Stack as StackDescription,
  type StackEvent,
} from '@aws-sdk/client-cloudformation';
import type { Cloud } from '../../ministack/cloud.ts';
import type { Template } from '../../support/template-changes/template.ts';
import { awsRegion, stackName as serviceStack } from './release.ts';

/** A resource of a stack. */
interface StackResource {
  readonly type: string;
  readonly physicalId: string;
}

/** Resources of a stack by logical id. */
type StackResources = ReadonlyMap<string, StackResource>;

/** What a stack is. */
export interface StackState {
  readonly template: Template;
  readonly resources: StackResources;
}

/** How an operation on a stack ended. */
interface Outcome {
  readonly status: string;
  /** Resources that failed, with the reason. */
  readonly failed: readonly string[];
}

/** A stack in the emulator, by default the service's, through the API of CloudFormation. */
export class Stack {
  readonly #cloud: Cloud;
  readonly #client: CloudFormation;
  readonly #of: { readonly StackName: string };
  #changeSets = 0;

  constructor(cloud: Cloud, StackName = serviceStack) {
    this.#cloud = cloud;
    this.#of = { StackName };
    this.#client = cloud.aws(awsRegion).cloudformation;
  }

  async #listResources(): Promise<StackResources> {
    const resources = new Map<string, StackResource>();
    // A copy: the SDK's paginator leaves the token of the last page in its input.
    const pages = paginateListStackResources({ client: this.#client }, { ...this.#of });
    for await (const { StackResourceSummaries = [] } of pages) {
      for (const {
        LogicalResourceId,
        ResourceType,
        PhysicalResourceId,
      } of StackResourceSummaries) {
        resources.set(String(LogicalResourceId), {
          type: String(ResourceType),
          physicalId: String(PhysicalResourceId),
        });
      }
    }
    return resources;
  }

  async readState(): Promise<StackState> {
    return { template: await this.#readTemplate(), resources: await this.#listResources() };
  }

  /** `aws cloudformation update-termination-protection --no-enable-termination-protection`. */
  async allowDeletion(): Promise<void> {
    const change = { ...this.#of, EnableTerminationProtection: false };
    await this.#client.updateTerminationProtection(change);
  }

  async readStatus(): Promise<string> {
    return (await this.#describe())?.StackStatus ?? 'DELETE_COMPLETE';
  }

  /** The template that was deployed last. */
  async #readTemplate(): Promise<Template> {
    const { TemplateBody = '' } = await this.#client.getTemplate(this.#of);
    return JSON.parse(TemplateBody) as Template;
  }

  /**
   * Deploys a template as `cdk deploy` does, with a change set. Its assets must be published.
   *
   * @param options `importExisting` is the CDK's `--import-existing-resources`.
   */
  async deploy(template: Template, options: { importExisting?: boolean } = {}): Promise<Outcome> {
    await this.forgetFailedCreation();
    this.#changeSets += 1;
    const name = `changes-${this.#changeSets}`;
    const file = `${this.#of.StackName}-${name}.json`;
    const url = await this.#cloud.publish(awsRegion, file, JSON.stringify(template));
    const before = await this.#describe();
    await this.#client.createChangeSet({
      ...this.#of,
      ChangeSetName: name,
      ChangeSetType: before === undefined ? 'CREATE' : 'UPDATE',
      TemplateURL: url,
      ImportExistingResources: options.importExisting ?? false,
      Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
      Tags: before?.Tags,
    });
    await this.#client.executeChangeSet({
      ...this.#of,
      ChangeSetName: name,
      ClientRequestToken: name,
    });
    const status = await this.#awaitEnd();
    const events = await this.#listEvents(name);
    const failed = events
      .filter(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_FAILED'))
      .map((event) => `${event.LogicalResourceId}: ${event.ResourceStatusReason}`);
    return { status, failed };
  }

  /** A stack whose creation failed cannot be updated. The CDK deletes it too. */
  async forgetFailedCreation(): Promise<void> {
    if (!['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'].includes(await this.readStatus())) return;
    await this.allowDeletion();
    await this.#client.deleteStack(this.#of);
    assert.equal(await this.#awaitEnd(), 'DELETE_COMPLETE');
  }

  /** @returns the status in which no operation is running. */
  async #awaitEnd(): Promise<string> {
    for (;;) {
      const status = await this.readStatus();
      if (!status.endsWith('_IN_PROGRESS')) return status;
      await sleep(100);
    }
  }

  /** The events of the last operation, which had this token. The newest event is the first. */
  async #listEvents(token: string): Promise<readonly StackEvent[]> {
    const found: StackEvent[] = [];
    const pages = paginateDescribeStackEvents({ client: this.#client }, { ...this.#of });
    for await (const { StackEvents = [] } of pages) {
      for (const event of StackEvents) {
        if (event.ClientRequestToken !== token) return found;
        found.push(event);
      }
    }
    return found;
  }

  async #describe(): Promise<StackDescription | undefined> {
    try {
      const { Stacks = [] } = await this.#client.describeStacks(this.#of);
      return Stacks[0];
    } catch (error) {
      if (error instanceof Error && error.message.includes('does not exist')) return undefined;
      throw error;
    }
  }
}
