import { type HttpResponse, requestOnce } from './aws-json/connection.ts';
import {
  type Endpoint,
  type Environment,
  resolveEndpoint,
  type Service,
} from './aws-json/endpoint.ts';
import { type CallerCredentials, signHeaders } from './sts/caller-proof.ts';

/** One request to an AWS service, in the service's own protocol. */
interface ServiceRequest {
  readonly service: Service;
  readonly region: string;
  /** With the query. The default is `/`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST. Without it, the request is a GET. */
  readonly body?: string;
}

/**
 * Signs and sends one request, once.
 *
 * @throws {Error} of the credentials, of node:net or node:http, or AwsTimeoutError.
 */
export type CallService = (request: ServiceRequest) => Promise<HttpResponse>;

/** Milliseconds. A person waits, and several calls run at once. */
const timeout = 5000;

/** Services with one endpoint in a partition: the region that their requests are signed for. */
const globalServices: ReadonlySet<Service> = new Set(['iam', 'ce']);

/** Names of the variables with an endpoint that differ from the names of the hosts. */
const endpointVariables: Partial<Record<Service, string>> = {
  servicequotas: 'AWS_ENDPOINT_URL_SERVICE_QUOTAS',
  logs: 'AWS_ENDPOINT_URL_CLOUDWATCH_LOGS',
  ce: 'AWS_ENDPOINT_URL_COST_EXPLORER',
};

function homeOf(region: string): string {
  if (region.startsWith('cn-')) return 'cn-north-1';
  return region.startsWith('us-gov-') ? 'us-gov-west-1' : 'us-east-1';
}

/** As {@link resolveEndpoint}, also for services of a whole partition. */
function endpointOf(service: Service, region: string, environment: Environment): Endpoint {
  const isGlobal = globalServices.has(service);
  const named = environment[endpointVariables[service] ?? ''] ?? environment['AWS_ENDPOINT_URL'];
  const found = resolveEndpoint(service, {
    ...environment,
    AWS_ENDPOINT_URL: named,
    AWS_REGION: isGlobal ? homeOf(region) : region,
  });
  const isPlain = found.url.hostname === 'iam.us-east-1.amazonaws.com';
  return isPlain ? { ...found, url: new URL('https://iam.amazonaws.com') } : found;
}

/**
 * Calls of services for which `authctl` has no client of the SDK: each would be larger than all of
 * this.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function createCallService(
  credentials: CallerCredentials,
  environment: Environment,
): CallService {
  return async ({ service, region, path = '/', headers = {}, body }) => {
    const endpoint = endpointOf(service, region, environment);
    const url = new URL(path, endpoint.url);
    const method = body === undefined ? 'GET' : 'POST';
    const scope = { service, region: endpoint.region, credentials };
    const signed = await signHeaders(url, { method, headers, body }, scope);
    return requestOnce(url, { method, headers: signed, body, timeout });
  };
}

/** A service refused a request. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  /** AWS's name of the error. */
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const codeElement = /<Code>([\w.]{1,100})<\/Code>/;
const codeMember = /"__type"\s*:\s*"(?:[^"#]*#)?([\w.]{1,100})"/;

function refusalOf({ status, headers, body }: HttpResponse): ServiceRefusal {
  const named = headers['x-amzn-errortype']?.toString().split(':')[0];
  const code = named ?? codeMember.exec(body)?.[1] ?? codeElement.exec(body)?.[1];
  return new ServiceRefusal(code ?? `status ${status}`);
}

/** The body of a success. @throws {ServiceRefusal} for any other response. */
export function bodyOf(response: HttpResponse): string {
  if (response.status === 200) return response.body;
  throw refusalOf(response);
}

/** A request of the protocol with one JSON document each way. */
export function jsonRequest(
  place: Pick<ServiceRequest, 'service' | 'region'>,
  target: string,
  input: object,
): ServiceRequest {
  const version = place.service === 'dynamodb' ? '1.0' : '1.1';
  const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target };
  return { ...place, headers, body: JSON.stringify(input) };
}

/** A request of the query protocol, which STS and IAM have. */
export function queryRequest(
  place: Pick<ServiceRequest, 'service' | 'region'>,
  input: Readonly<Record<'Action' | 'Version', string>>,
): ServiceRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { ...place, headers, body: new URLSearchParams(input).toString() };
}
