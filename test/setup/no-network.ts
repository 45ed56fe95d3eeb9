import { Socket } from 'node:net';

// A unit test that opens a socket has reached I/O that should have come in as a port.
Socket.prototype.connect = function refuseToConnect(): never {
  throw new Error('unit tests open no sockets: pass a port instead, or move to test/integration');
};
