/** Invisible characters of requests, and of what other servers send, never reach a page or a text; JSON has them as they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from 'dns-packet';
import type { Platform } from '../../src/core/platform.ts';
import { invisible } from '../../src/core/text.ts';
import { createApp } from '../../src/http/app.ts';
import { exampleOf } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { encodeResponse } from '../lookups/dns/messages.ts';
import { files, respondWith } from '../lookups/rdap/fixtures.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { bodyOf } from '../request-context.ts';

/** Every control and format character, and those that change the direction of text or end a line, between letters. */
const hostile = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(character))
  .join('a');

const headers = {
  'user-agent': `Mozilla/5.0 (X11; ${hostile})`,
  'accept-language': hostile,
  'sec-ch-ua': hostile,
  referer: hostile,
  cookie: hostile,
  'x-test': hostile,
  'sec-fetch-site': 'same-origin',
};

const vcardArray = ['vcard', [['fn', {}, 'text', hostile]]];
const entity = { objectClassName: 'entity', handle: hostile, roles: ['registrant', hostile], vcardArray };
const notice = { title: hostile, description: [hostile], links: [{ href: hostile, value: hostile, rel: hostile }] };

/** Other servers, whose every text is hostile. */
const platform: Partial<Platform> = {
  bootstrapFile: async (name) => files[name],
  resolvers: ['https://dns.example/dns-query'],
  async fetch({ body }) {
    const { name = '', type = 'A' } = decode(Buffer.from(body ?? [])).questions?.[0] ?? {};
    const answers = [{ name, type: 'TXT' as const, ttl: 1, data: hostile.match(/[\s\S]{1,50}/g) ?? [] }];
    const message = encodeResponse({ name, type: type as 'TXT', answers: type === 'TXT' ? answers : [] });
    return { ...respondWith(200, '', { 'content-type': 'application/dns-message' }), body: message };
  },
  fetchPublic: async ({ url }) =>
    /\/(domain|ip|autnum)\//.test(new URL(url).pathname)
      ? respondWith(200, {
          objectClassName: 'domain',
          ldhName: decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''),
          handle: hostile,
          name: hostile,
          status: [hostile],
          entities: [entity],
          notices: [notice],
          remarks: [notice],
          nameservers: [{ ldhName: hostile }],
          events: [{ eventAction: hostile, eventDate: hostile }],
        })
      : {
          ...respondWith(200, '', { server: hostile, 'content-security-policy': hostile, [`x-${hostile}`]: hostile }),
          setCookies: [`${hostile}=${hostile}; Path=${hostile}`],
        },
};

/** Endpoints whose text is a header as it was received, and nothing else. */
const isRaw = (path: string): boolean => path === '/ua' || /^\/as\/ifconfig\.me\/(ua|lang|referer)$/.test(path);

const app = createApp({ publicUrl: 'https://seenby.example', contact: null });

for (const accept of ['text/html', 'text/plain', 'application/json'])
  test(`no text or page shows an invisible character to a client that accepts ${accept}`, async () => {
    let texts = 0;
    for (const endpoint of endpoints) {
      const [path = '', query = ''] = exampleOf(endpoint).split('?');
      if (endpoint.kind === 'mcp' || isRaw(path)) continue;
      const sent = { ...headers, accept };
      const handshake = { ...seenAll.handshake, headerFields: Object.entries(sent) };
      const observed = { ...seenAll, path, query, headers: sent, handshake };
      const response = await app(observed, platformOf(platform), bodyOf(''));
      if (!response.headers['Content-Type']?.startsWith('text/') || typeof response.body !== 'string') continue;
      texts += 1;
      // Lines of a text end with \n; those of one other service with \r\n.
      const [mark] = response.body.replaceAll(/\r?\n|\t/g, '').match(new RegExp(invisible, 'u')) ?? [];
      assert.equal(mark, undefined, `U+${mark?.codePointAt(0)?.toString(16)} at ${path}`);
    }
    assert.ok(texts > 10, `${texts}`);
  });
