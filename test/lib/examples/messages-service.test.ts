import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { describe, expect, it } from 'vitest';
import { MessagesService } from '../../../examples/ecs/messages-service.ts';

function synthesise(): Template {
  const app = new App();
  const vpc = new Vpc(new Stack(app, 'Network'), 'Vpc');
  const image = (name: string) => ContainerImage.fromRegistry(`registry.example.com/${name}:1`);
  const stack = new MessagesService(app, 'Messages', {
    vpc,
    issuer: 'https://auth.example.com',
    audience: 'https://api.example.com',
    tables: 'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server',
    images: {
      proxy: image('proxy'),
      service: image('messages'),
      forwardAuth: image('forward-auth'),
    },
  });
  return Template.fromStack(stack);
}

interface Container {
  readonly Name: string;
  readonly PortMappings?: readonly unknown[];
  readonly DependsOn?: readonly unknown[];
}

describe('the example of an ECS service', () => {
  const [task] = Object.values(synthesise().findResources('AWS::ECS::TaskDefinition'));
  const containers = task?.['Properties'].ContainerDefinitions as readonly Container[];

  it('has a port only for the proxy, which starts when the check is healthy', () => {
    const proxy = containers.find(({ Name }) => Name === 'proxy');
    expect(proxy?.DependsOn).toContainEqual({
      ContainerName: 'forward-auth',
      Condition: 'HEALTHY',
    });
    const withPorts = containers.filter(({ PortMappings = [] }) => PortMappings.length > 0);
    expect(withPorts.map(({ Name }) => Name)).toEqual(['proxy']);
  });

  it('has the three containers in one network', () => {
    expect(task?.['Properties'].NetworkMode).toBe('awsvpc');
    expect(containers.map(({ Name }) => Name)).toEqual(['messages', 'proxy', 'forward-auth']);
  });
});
