import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ExchangeContext } from '../exchange.ts';
import type { HttpResponse } from '../http-message.ts';

/** Transport around an endpoint. It contains no step of the protocol. */
export type HttpMiddleware = MiddlewareObj<
  APIGatewayProxyEvent,
  HttpResponse,
  Error,
  ExchangeContext
>;

export type HttpHook = NonNullable<HttpMiddleware['after']>;
