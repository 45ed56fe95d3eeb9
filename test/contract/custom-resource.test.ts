import { describe, expect, it } from 'vitest';
import { parseCustomResourceEvent } from '../../contract/custom-resource.ts';
import { awsRegions, partitionOf } from '../../contract/partitions.ts';

const event = (ResponseURL: string) => ({
  RequestType: 'Create',
  ResponseURL,
  StackId: 'arn:aws:cloudformation:us-west-2:111122223333:stack/AuthorizationServer-slc/1',
  RequestId: 'request',
  LogicalResourceId: 'FirstSigningKey',
  ResourceProperties: {},
});
const bucket = 'cloudformation-custom-resource-response';

describe('the address of the result of a custom resource', () => {
  it.each([
    `https://${bucket}-uswest2.s3.us-west-2.amazonaws.com/arn?X-Amz-Signature=s`,
    `https://${bucket}-uswest2.s3-us-west-2.amazonaws.com/arn`,
    `https://${bucket}-useast1.s3.amazonaws.com/arn`,
    'http://127.0.0.1:4566/_ministack/cfn-response/1',
    'http://localhost:4566/_ministack/cfn-response/1',
  ])('may be %s', (url) => {
    expect(parseCustomResourceEvent(event(url)).ResponseURL).toBe(url);
  });

  it.each(awsRegions)('may be in %s', (region) => {
    const { domain } = partitionOf(region);
    const url = `https://${bucket}-${region.replaceAll('-', '')}.s3.${region}.${domain}/arn`;
    expect(parseCustomResourceEvent(event(url)).ResponseURL).toBe(url);
  });

  it.each([
    ['https://attacker.example/collect?X-Amz-Signature=secret', 'the host attacker.example'],
    [`https://${bucket}-uswest2.s3.us-west-2.amazonaws.com.attacker.example/`, 'attacker.example'],
    [`https://${bucket}-uswest2.s3.us-west-2.amazonaws.com@attacker.example/`, 'attacker.example'],
    [`https://attacker.example/${bucket}-uswest2.s3.us-west-2.amazonaws.com`, 'attacker.example'],
    // Anyone may own a bucket whose name only begins as CloudFormation's do.
    [`https://${bucket}-mine.s3.us-west-2.amazonaws.com/`, `${bucket}-mine.s3`],
    [`https://${bucket}-uswest9.s3.us-west-2.amazonaws.com/`, `${bucket}-uswest9.s3`],
    [`https://${bucket}-cnnorth1.s3.cn-north-1.amazonaws.com/`, `${bucket}-cnnorth1.s3`],
    [`https://other.s3.us-west-2.amazonaws.com/`, 'other.s3.us-west-2'],
    [`http://${bucket}-uswest2.s3.us-west-2.amazonaws.com/`, `${bucket}-uswest2`],
    ['http://localhost.attacker.example/', 'localhost.attacker.example'],
    ['http://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['file:///etc/passwd', 'received the host'],
    [`https://${bucket}-uswest2.s3.us-west-2.amazonaws.com:8443/`, `${bucket}-uswest2`],
    ['somewhere', 'received no URL'],
  ])('may not be %s', (url, received) => {
    const parse = () => parseCustomResourceEvent(event(url));
    expect(parse).toThrow(received);
    expect(parse).toThrow('allowed: https, port 443 and a host of CloudFormation');
    expect(parse).not.toThrow('secret');
  });
});
