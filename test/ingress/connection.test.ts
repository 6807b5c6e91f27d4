/** Whose share of the scheduler's time a connection uses. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ingressBounds } from '../../src/ingress/bounds.ts';
import { Connection, Connections } from '../../src/ingress/connection.ts';
import { createIdentify } from '../../src/ingress/limits/identity.ts';

const { shared } = new Connections({
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
  new Connection(new Socket(), { ip, port: 1, trusted, relayed: false }, shared);

test('all addresses of an IPv6 network have one share, and each IPv4 address has its own', () => {
  const shareOf = (ip: string): unknown => connectionOf(ip).share;
  assert.equal(shareOf('2001:db8::1'), shareOf('2001:db8::2'));
  assert.notEqual(shareOf('2001:db8::1'), shareOf('2001:db8:0:1::1'));
  assert.equal(shareOf('192.0.2.1'), shareOf('192.0.2.1'));
  assert.notEqual(shareOf('192.0.2.1'), shareOf('192.0.2.2'));
});

test('each connection of a trusted proxy, or without an address, has a share of its own', () => {
  for (const connection of [connectionOf('192.0.2.1', true), connectionOf(null)])
    assert.equal(connection.share, connection);
});
