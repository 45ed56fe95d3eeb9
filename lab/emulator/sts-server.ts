import { userInfo } from 'node:os';
import { AwsError, contentTypes, escapeXml, sendAnswer } from './aws-server/aws-error.ts';
import {
  type RunningService,
  type ServiceOptions,
  startAwsServer,
} from './aws-server/aws-server.ts';
import type { VerifiedRequest } from './aws-server/verify-signature.ts';
import { localApi } from './gateway/request-context.ts';

/** GetCallerIdentity needs some dozen bytes. */
const maxRequestBytes = 2048;

/** The run's access key belongs to anyone who started the run. IAM allows these characters. */
export function localUserArn(): string {
  const name = userInfo().username.replaceAll(/[^\w+=,.@-]/g, '-');
  return `arn:aws:iam::${localApi.accountId}:user/${name}`;
}

/** GetCallerIdentity needs no permission, and no policy can deny it. */
function answerIdentity(
  { body, accessKeyId }: VerifiedRequest,
  { accessControl }: ServiceOptions,
): Buffer {
  const action = new URLSearchParams(body.toString()).get('Action');
  if (action !== 'GetCallerIdentity') {
    throw new AwsError('InvalidAction', `received ${action}; allowed: GetCallerIdentity`);
  }
  const arn = accessControl?.principalArn(accessKeyId) ?? localUserArn();
  const result = `<Arn>${escapeXml(arn)}</Arn><UserId>AIDALOCAL</UserId><Account>${localApi.accountId}</Account>`;
  return Buffer.from(
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  );
}

/** Starts a server with STS's GetCallerIdentity on loopback. */
export function startSts(options: ServiceOptions): Promise<RunningService> {
  return startAwsServer('STS server', {
    ...options,
    service: 'sts',
    maxRequestBytes,
    answer: (request, response) =>
      sendAnswer(response, {
        status: 200,
        headers: { 'content-type': contentTypes.sts },
        body: answerIdentity(request, options),
      }),
  });
}
