'use strict';

/*
 * Loaded into every Node.js process of a deployment test, the deployed functions included: a
 * connection to a name that the test's public edge serves goes there. This is what DNS does in
 * AWS; addresses, TLS and certificates are checked as ever.
 */

const https = require('node:https');
const { Socket } = require('node:net');

/** Read each time: the test's own process goes from one edge to the next. */
function isServedByEdge(host) {
  return new RegExp(process.env['PUBLIC_EDGE_NAMES'] ?? '^$').test(host);
}

const { connect } = Socket.prototype;

Socket.prototype.connect = function connectToEdge(...received) {
  // node:net hands on its arguments as one array, with the options first.
  const [options] = Array.isArray(received[0]) ? received[0] : received;
  if (Number(options?.port) === 443 && isServedByEdge(options.host)) {
    const port = Number(process.env['PUBLIC_EDGE_PORT']);
    Object.assign(options, { host: '127.0.0.1', port });
  }
  return connect.apply(this, received);
};

/*
 * The emulator puts an `https.request` of its own into functions, which sends whatever ends in
 * amazonaws.com to its one port and drops the host. Names of the edge go past it.
 */

const { request } = https;
let replacement = request;

function requestPastEmulator(target, ...rest) {
  const { hostname, host } = typeof target === 'string' ? new URL(target) : target;
  const send = isServedByEdge(hostname ?? host ?? '') ? request : replacement;
  return send(target, ...rest);
}

Object.defineProperty(https, 'request', {
  get: () => (replacement === request ? request : requestPastEmulator),
  set: (value) => {
    replacement = value;
  },
});
