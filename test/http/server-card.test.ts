/** The server card keeps the rules of its published schema, and says what the tool server says of itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierServerCard, serverCard } from '../../src/http/server-card.ts';
import { initializedVersions, selfContainedVersions, serverInfo } from '../../src/mcp/server-info.ts';

const base = 'https://seenby.example';
// biome-ignore lint/suspicious/noExplicitAny: the assertions are what gives it a type
const card: any = serverCard(base);
// biome-ignore lint/suspicious/noExplicitAny: the assertions are what gives it a type
const earlier: any = earlierServerCard(base);

test('keeps the rules of the schema that it names', () => {
  for (const { $schema, name, version, description, title, websiteUrl, remotes } of [card, earlier]) {
    assert.equal($schema, 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json');
    assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(name.length >= 3 && name.length <= 200);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(description.length >= 1 && description.length <= 100);
    assert.ok(title.length >= 1 && title.length <= 100);
    assert.equal(websiteUrl, `${base}/docs`);
    assert.equal(remotes.length, 1);
    assert.equal(remotes[0].type, 'streamable-http');
    assert.equal(new URL(remotes[0].url).href, `${base}/mcp`);
    for (const revision of remotes[0].supportedProtocolVersions) assert.match(revision, /^\d{4}-\d\d-\d\d$/);
  }
});

test('has no member that the schema does not know', () => {
  const known = ['$schema', 'name', 'title', 'version', 'description', 'websiteUrl', 'remotes'];
  assert.deepEqual(Object.keys(card).sort(), known.sort());
});

test('says what the running server says of itself', () => {
  const { name, title, version, description } = card;
  assert.deepEqual({ name, title, version, description }, serverInfo);
  assert.deepEqual(card.remotes[0].supportedProtocolVersions, [...initializedVersions, ...selfContainedVersions]);
});

test('has at its earlier address the fields of then as well', () => {
  const { serverInfo: info, transport, capabilities, ...rest } = earlier;
  assert.deepEqual(rest, card);
  assert.deepEqual(info, serverInfo);
  assert.deepEqual(transport, { type: 'streamable-http', endpoint: '/mcp' });
  assert.deepEqual(capabilities, { tools: {} });
});
