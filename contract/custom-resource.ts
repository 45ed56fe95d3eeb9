import * as v from 'valibot';
import { describeIssues } from './parse-problem.ts';
import { awsRegions, partitionOf } from './partitions.ts';

/** As CloudFormation makes ids; anyone who may invoke the function can send others. */
const id = (most: number) => v.pipe(v.string(), v.regex(/^[\w.:/-]+$/), v.maxLength(most));

/** The event that CloudFormation sends to the function of a custom resource. */
const customResourceEventSchema = v.object({
  RequestType: v.picklist(['Create', 'Update', 'Delete']),
  /** Receives the result by PUT. The URL is presigned and must not be logged. */
  ResponseURL: v.string(),
  StackId: id(1024),
  RequestId: id(128),
  LogicalResourceId: id(255),
  /** Absent for `Create`. */
  PhysicalResourceId: v.optional(v.string()),
  ResourceProperties: v.unknown(),
  /** Only for `Update`: what the resource had before. In a rollback, what failed. */
  OldResourceProperties: v.optional(v.unknown()),
});

export type CustomResourceEvent = v.InferOutput<typeof customResourceEventSchema>;

/** The result that CloudFormation expects at `ResponseURL`. */
export interface CustomResourceAnswer {
  readonly Status: 'SUCCESS' | 'FAILED';
  /** Shown in the stack's events. */
  readonly Reason: string;
  readonly PhysicalResourceId: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
}

/** An event that CloudFormation did not send, or properties that no stack of this project has. */
export class CustomResourceEventError extends Error {
  override readonly name = 'CustomResourceEventError';
}

/** @throws {CustomResourceEventError} naming each key that is not as allowed. */
export function parseCustomResource<T extends v.GenericSchema>(
  schema: T,
  input: unknown,
  what: string,
): v.InferOutput<T> {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  throw new CustomResourceEventError(
    `${what} cannot be used:\n${describeIssues(result.issues).join('\n')}`,
  );
}

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Of S3, with CloudFormation's bucket in the same region. */
function responseHosts(region: string): ReadonlySet<string> {
  const bucket = `cloudformation-custom-resource-response-${region.replaceAll('-', '')}`;
  const { domain } = partitionOf(region);
  const places = [`s3.${region}`, `s3-${region}`, ...(region === 'us-east-1' ? ['s3'] : [])];
  return new Set(places.map((place) => `${bucket}.${place}.${domain}`));
}

/** Whether a result may be sent to a URL: CloudFormation's own, or an emulator's on loopback. */
function isCloudFormationUrl({ protocol, hostname, port }: URL, allowLoopback: boolean): boolean {
  if (protocol === 'http:') return allowLoopback && loopbackHosts.has(hostname);
  // Another port may answer nothing, and hold the function until the connection fails.
  if (protocol !== 'https:' || port !== '') return false;
  return awsRegions.some((region) => responseHosts(region).has(hostname));
}

/** @throws {CustomResourceEventError} with the host only: the rest of the URL is a signature. */
function assertCloudFormationUrl(text: string, allowLoopback: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isCloudFormationUrl(url, allowLoopback)) return;
  throw new CustomResourceEventError(
    `ResponseURL: received ${url === undefined ? 'no URL' : `the host ${url.host}`}; allowed: https, port 443 and a host of CloudFormation, e.g. cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com`,
  );
}

/**
 * Anyone who may invoke the function can send such an event. The result has error texts, so it goes
 * to CloudFormation only.
 *
 * @param allowLoopback whether it may go to this machine, which an emulator wants. Not for callers of
 *   other accounts: Lambda's own interface is there.
 * @throws {CustomResourceEventError} naming each key that is not as allowed.
 */
export function parseCustomResourceEvent(
  input: unknown,
  allowLoopback = true,
): CustomResourceEvent {
  const event = parseCustomResource(customResourceEventSchema, input, 'the event');
  assertCloudFormationUrl(event.ResponseURL, allowLoopback);
  return event;
}

/** Whether CloudFormation sent an event. Every other caller sends no `RequestType`. */
export function isCustomResourceEvent(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'RequestType' in input;
}
