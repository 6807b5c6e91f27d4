/** The flow to which the work of a connection belongs. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ingressBounds } from '../../src/ingress/bounds.ts';
import { Connection, Connections } from '../../src/ingress/connection.ts';
import { createIdentify } from '../../src/ingress/limits/identity.ts';

const { context } = new Connections({
  bounds: ingressBounds,
  maxConnections: 0,
  peers: null,
  identify: createIdentify(),
  proxyProtocol: false,
  isTrusted: () => false,
  admit: () => true,
  onClosed() {},
  onHandshake() {},
});

const connectionOf = (ip: string | null, trusted = false): Connection =>
  new Connection(new Socket(), { ip, port: 1, trusted, relayed: false }, context);

test('all addresses of an IPv6 network are one flow, and each IPv4 address is its own', () => {
  const flowOf = (ip: string): unknown => connectionOf(ip).flow;
  assert.equal(flowOf('2001:db8::1'), flowOf('2001:db8::2'));
  assert.notEqual(flowOf('2001:db8::1'), flowOf('2001:db8:0:1::1'));
  assert.equal(flowOf('192.0.2.1'), flowOf('192.0.2.1'));
  assert.notEqual(flowOf('192.0.2.1'), flowOf('192.0.2.2'));
});

test('each connection of a trusted proxy, or without an address, is a flow of its own', () => {
  for (const connection of [connectionOf('192.0.2.1', true), connectionOf(null)])
    assert.equal(connection.flow, connection);
});
