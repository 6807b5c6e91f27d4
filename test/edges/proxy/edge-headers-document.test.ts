/** The page about proxies names the headers and what they fill, and its configurations delete them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { flatten } from '../../../src/core/text.ts';
import { edgeHeaderNames, readEdgeFacts } from '../../../src/edges/proxy/edge-headers.ts';
import { edgeHeaderValues } from './edge-header-values.ts';

const folder = new URL('../../../docs/deploy/', import.meta.url);
const page = readFileSync(new URL('proxies.md', folder), 'utf8');

const sent: typeof edgeHeaderValues = { ...edgeHeaderValues, 'x-edge-quic-rtt-us': '7000' };

/** Paths of the fields that headers fill, as responses name them. */
function fieldsOf(headers: Readonly<Record<string, string>>): ReadonlySet<string> {
  const { protocol, tls, transport, handshake } = readEdgeFacts(headers, ['x-edge']);
  const filled = { http: { protocol }, tls, network: transport, ja3: handshake.ja3, ja4: handshake.ja4 };
  return new Set([...flatten(filled, false).matchAll(/^[\w.]+/gm)].map(([path]) => path));
}

test('lists every x-edge header with the field that it fills', () => {
  const rows = [...page.matchAll(/^\| `(x-edge-[\w-]+)` \| `([\w.]+)` \| .+ \|$/gm)];
  assert.deepEqual(
    rows.map(([, name]) => name),
    edgeHeaderNames['x-edge'],
  );
  for (const [, name = '', field = ''] of rows) {
    // The RTT of QUIC counts only over HTTP/3.
    const overQuic = name === 'x-edge-quic-rtt-us' ? { 'x-edge-http-version': '3' } : {};
    const filled = fieldsOf({ ...overQuic, [name]: sent[name] ?? assert.fail(name) });
    assert.deepEqual(filled.difference(fieldsOf(overQuic)), new Set([field]));
  }
});

test('deletes every header that nginx cannot set', () => {
  const nginx = readFileSync(new URL('nginx.conf', folder), 'utf8').toLowerCase();
  for (const name of edgeHeaderNames['x-edge']) assert.ok(nginx.includes(`proxy_set_header ${name} `), name);
});
