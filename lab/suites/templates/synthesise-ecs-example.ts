import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { MessagesService } from '../../../examples/ecs/messages-service.ts';

// Writes the templates of examples/ecs into a folder, for `lab/suites/templates/main.ts`.

const app = new App({ outdir: process.argv[2] });
const image = (name: string) => ContainerImage.fromRegistry(`registry.example.com/${name}:1`);
const { service } = new MessagesService(app, 'Messages', {
  vpc: new Vpc(new Stack(app, 'Network'), 'Vpc'),
  issuer: 'https://auth.example.com',
  audience: 'https://api.example.com',
  tables: 'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server',
  images: { proxy: image('proxy'), service: image('messages'), forwardAuth: image('forward-auth') },
});
app.synth();
process.stdout.write(`synthesised ${service.node.path}\n`);
