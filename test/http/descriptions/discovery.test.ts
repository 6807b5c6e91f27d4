/** The server cards fit the published schema, and match what the running server states about itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../../src/http/app.ts';
import { aiCatalog, legacyServerCard, serverCard, serverCardPath } from '../../../src/http/descriptions/discovery.ts';
import { icon } from '../../../src/http/page/icon.ts';
import {
  handshakeVersions,
  iconPaths,
  mcpPath,
  serverInfoOf,
  serverNameOf,
  statelessVersions,
} from '../../../src/mcp/server-info.ts';
import { seenAll } from '../../observed.ts';
import { platformOf } from '../../platform.ts';
import { bodyOf, noBody, site } from '../../request-context.ts';

const { baseUrl } = site;
// biome-ignore lint/suspicious/noExplicitAny: the assertions check the types
const card: any = serverCard(site);
// biome-ignore lint/suspicious/noExplicitAny: the assertions check the types
const legacy: any = legacyServerCard(site);

test('both cards fit the schema that they name', () => {
  for (const { $schema, name, version, description, title, websiteUrl, icons, remotes } of [card, legacy]) {
    assert.equal($schema, 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json');
    assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(name.length >= 3 && name.length <= 200);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(description.length >= 1 && description.length <= 100);
    assert.ok(title.length >= 1 && title.length <= 100);
    for (const url of [websiteUrl, icons[0].src]) assert.ok(url.startsWith(`${baseUrl}/`));
    assert.equal(remotes.length, 1);
    assert.equal(remotes[0].type, 'streamable-http');
    assert.equal(new URL(remotes[0].url).href, baseUrl + mcpPath);
    for (const protocolVersion of remotes[0].supportedProtocolVersions)
      assert.match(protocolVersion, /^\d{4}-\d\d-\d\d$/);
  }
});

test('the card has no member beyond the schema', () => {
  const known = ['$schema', 'name', 'title', 'version', 'description', 'websiteUrl', 'icons', 'remotes'];
  assert.deepEqual(Object.keys(card).sort(), known.sort());
});

test('the card matches the info of the running server', () => {
  for (const [key, value] of Object.entries(serverInfoOf(site))) assert.deepEqual(card[key], value, key);
  assert.deepEqual(card.remotes[0].supportedProtocolVersions, [...handshakeVersions, ...statelessVersions]);
});

test('the name is the reversed host of the URL, if it is a domain name', () => {
  const nameOf = (baseUrl: string) => serverNameOf({ baseUrl });
  assert.equal(nameOf('https://seen.example.com'), 'com.example.seen/seenby');
  assert.equal(nameOf('https://ip.my-site.example:8443'), 'example.my-site.ip/seenby');
  assert.equal(nameOf('https://seenby.example.'), 'example.seenby/seenby');
  assert.equal(nameOf('http://localhost:8080'), 'localhost/seenby');
  for (const other of ['192.0.2.1:8080', '[2001:db8::1]', 'a_b.example', 'a..example', `${'a.'.repeat(100)}example`])
    assert.equal(nameOf(`http://${other}`), 'seenby/seenby', other);
});

test('cards and initialize have the same name, from PUBLIC_URL or else from the domain name of the request', async () => {
  for (const [publicUrl, expected] of [
    ['https://seen.example.com', 'com.example.seen/seenby'],
    [null, 'net.example.asked/seenby'],
  ] as const) {
    const app = createApp({ publicUrl, contact: null });
    const observed = { ...seenAll, origin: 'https://asked.example.net' };
    const read = async (path: string, method: string, body: object) => {
      const request = { ...observed, path, method, headers: { 'content-type': 'application/json' } };
      return JSON.parse(`${(await app(request, platformOf(), bodyOf(JSON.stringify(body)))).body}`);
    };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { result } = await read(mcpPath, 'POST', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const names = [
      result.serverInfo.name,
      (await read(serverCardPath, 'GET', {})).name,
      (await read('/.well-known/mcp/server-card.json', 'GET', {})).serverInfo.name,
    ];
    assert.deepEqual(names, [expected, expected, expected]);
  }
});

test('the legacy card adds the members of SEP-1649', () => {
  const { serverInfo, transport, capabilities, ...rest } = legacy;
  assert.deepEqual(rest, card);
  assert.deepEqual(serverInfo, serverInfoOf(site));
  assert.deepEqual(transport, { type: 'streamable-http', endpoint: mcpPath });
  assert.deepEqual(capabilities, { tools: {} });
});

test('the AI catalog names the card', () => {
  assert.deepEqual(aiCatalog(site), {
    specVersion: '1.0',
    host: { displayName: 'Seenby', documentationUrl: `${baseUrl}/docs` },
    entries: [
      {
        identifier: 'urn:air:seenby.example:mcp:seenby',
        displayName: 'Seenby',
        type: 'application/mcp-server-card+json',
        url: baseUrl + serverCardPath,
        description: card.description,
      },
    ],
  });
});

test('the icons of the cards are at their paths, in their types and sizes', async () => {
  for (const { src, mimeType, sizes } of card.icons) {
    const path = src.slice(baseUrl.length);
    const { status, headers, body } = await createApp(site.deployment)({ ...seenAll, path }, platformOf(), noBody);
    assert.deepEqual([status, headers['Content-Type']], [200, mimeType], path);
    if (mimeType !== 'image/png') continue;
    // Width and height are the first fields after the signature (PNG, 11.2.2).
    assert.ok(body instanceof Uint8Array);
    const header = new DataView(body.buffer, body.byteOffset);
    assert.deepEqual(sizes, [`${header.getUint32(16)}x${header.getUint32(20)}`]);
  }
});

test('the icon is an SVG without scripts at the path that the cards name', () => {
  assert.equal(card.icons[0].src, baseUrl + iconPaths.svg);
  assert.match(icon, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*>(?:<(?:path|circle) [^>]*\/>)+<\/svg>$/);
});
