/** Browsers raise no hint by how they open a connection, in any version and on any way; imitations of known families do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { http2Traits, http3Traits, tlsTraits } from '../../src/client/fingerprint/data/families.ts';
import { type ObservedHandshake, unobserved } from '../../src/core/observed.ts';
import { headerTraits } from '../../src/traits/header-traits.ts';
import { fieldsNamed } from '../observed.ts';

const ids = ['tls-client-differs', 'http-client-differs', 'host-not-first'];

const agents = {
  Chromium:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  Firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
  Safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
} as const;

function hintsOf(agent: string, opening: Partial<ObservedHandshake>, headers: Record<string, string> = {}) {
  const traits = headerTraits({
    headers: { 'user-agent': agent, ...headers },
    own: true,
    https: true,
    http2: null,
    ip: null,
    nowMs: 0,
    handshake: { ...unobserved.handshake, ...opening },
  });
  return traits.hints.filter(({ id }) => ids.includes(id));
}

/** Openings of real browsers: current, old, resumed, over HTTP/1.1 and with an odd list of extensions. */
const ownOpenings: Readonly<Record<keyof typeof agents, readonly string[]>> = {
  Chromium: [
    't13d1517h2_8daaf6152771_cb7bf5808d99',
    't13d1518h2_8daaf6152771_9e316bb09a91',
    't13d1516h1_8daaf6152771_5b37b36a67c0',
    't13d1516h2_8daaf6152771_02713d6af862',
    't12d1511h2_55b375c5d22e_9bd53a0a3d0d',
    'q13d0312h3_55b375c5d22e_178839b6cec1',
    'q13d0311h3_55b375c5d22e_653d80c3fe9d',
    'q13d0313h3_55b375c5d22e_000000000001',
  ],
  Firefox: [
    't13d1617h2_86a278354501_3cbfd9057e0d',
    't13d1617h1_86a278354501_3cbfd9057e0d',
    't13d1715h2_5b57614c22b0_3d5424432f57',
    't13d1814h2_000000000001_000000000002',
    'q13d0315h3_55b375c5d22e_dc5437974b47',
  ],
  Safari: [
    't13d2014h2_a09f3c656075_14788d8d241b',
    't13d2013h2_a09f3c656075_7f0f34a4126d',
    't13d1313h2_f57a46bbacb6_7f0f34a4126d',
  ],
};

for (const [family, codes] of Object.entries(ownOpenings)) {
  test(`${family} raises no hint, current, old, resumed and over HTTP/1.1`, () => {
    const agent = agents[family as keyof typeof agents];
    for (const ja4 of codes) assert.deepEqual(hintsOf(agent, { ja4 }), [], ja4);
    const clientHello = Buffer.from(`0303${'00'.repeat(33)}00021301010000`, 'hex');
    assert.deepEqual(
      hintsOf(agent, { clientHello, headerFields: fieldsNamed('Host', 'Connection', 'User-Agent') }),
      [],
    );
  });
}

test('a client that claims no browser, or WebKit outside of Apple, raises no hint, whatever its handshake is', () => {
  const {
    ciphers,
    alpn: [alpn = ''] = [],
    extensions = '000000000000',
  } = tlsTraits.find((each) => each.family === 'Firefox') ?? {
    ciphers: '',
  };
  const ja4 = `t13d1617${alpn}_${ciphers}_${extensions}`;
  assert.notDeepEqual(hintsOf(agents.Chromium, { ja4 }), []);
  assert.notDeepEqual(hintsOf(agents.Safari, { ja4 }), []);
  const onLinux =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
  for (const agent of ['curl/8.5.0', onLinux]) assert.deepEqual(hintsOf(agent, { ja4 }), [], agent);
});

test('the place of Host is compared only over TLS: over plain HTTP, a proxy may have moved it', () => {
  const clientHello = Buffer.from(`0303${'00'.repeat(33)}0002130101000000`, 'hex');
  const headerFields = fieldsNamed('User-Agent', 'Host');
  const ids = (opening: Partial<ObservedHandshake>) => hintsOf(agents.Chromium, opening).map(({ id }) => id);
  assert.deepEqual(ids({ clientHello, headerFields }), ['host-not-first']);
  assert.deepEqual(ids({ clientHello: null, headerFields }), []);
});

test('every other known family raises a hint that names it', () => {
  for (const [claimed, agent] of Object.entries(agents)) {
    for (const { ciphers, alpn, extensions = '000000000000', family } of tlsTraits) {
      const shared = tlsTraits.filter(
        (each) =>
          each.ciphers === ciphers &&
          each.alpn.includes(alpn[0] ?? '') &&
          (each.extensions ?? extensions) === extensions,
      );
      const [hint] = hintsOf(agent, { ja4: `t13d1512${alpn[0]}_${ciphers}_${extensions}` });
      if (shared.some((each) => each.family === claimed)) assert.equal(hint, undefined);
      else assert.ok(hint?.hint.includes(claimed) && hint.hint.includes(family), `${claimed} ${family}`);
    }
  }
});

test('a client that claims no browser, an app, and a browser behind a declared proxy raise no hint', () => {
  const ja4 = 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6';
  for (const agent of ['curl/7.88.1', 'Go-http-client/2.0', `${agents.Chromium} MyApp/1.0`, '']) {
    assert.deepEqual(hintsOf(agent, { ja4 }), [], agent);
  }
  for (const name of ['via', 'x-forwarded-for', 'forwarded']) {
    assert.deepEqual(hintsOf(agents.Chromium, { ja4 }, { [name]: '198.51.100.1' }), [], name);
  }
  const webKitGtk = agents.Safari.replace('Macintosh; Intel Mac OS X 10_15_7', 'X11; Linux x86_64');
  assert.deepEqual(hintsOf(webKitGtk, { ja4 }), []);
});

test('every row of the tables has a source, and each fingerprint of HTTP/2 and HTTP/3 belongs to one family', () => {
  for (const { source } of [...tlsTraits, ...http2Traits, ...http3Traits])
    assert.match(source, /^captured: |FoxIO|curl_cffi|tls-client/);
  assert.equal(new Set(http2Traits.map(({ akamai }) => akamai)).size, http2Traits.length);
  assert.equal(new Set(http3Traits.map(({ text }) => text)).size, http3Traits.length);
});
