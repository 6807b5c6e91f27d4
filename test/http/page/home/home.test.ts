/** The page at `/` shows every value and renders untrusted data as text. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ObservedRequest } from '../../../../src/core/observed.ts';
import { unlimited } from '../../../../src/core/platform.ts';
import { product } from '../../../../src/core/product.ts';
import type { Deployment } from '../../../../src/core/request-context.ts';
import { flatten } from '../../../../src/core/text.ts';
import { endpoints } from '../../../../src/http/endpoints.ts';
import { fieldsOf } from '../../../../src/http/page/fields.ts';
import { quoteForShell, renderUntrusted } from '../../../../src/http/page/fragment.ts';
import { lookupPageOf } from '../../../../src/http/page/lookup/pages.ts';
import { lookups } from '../../../../src/lookups/list.ts';
import { Info, info } from '../../../../src/resources/info.ts';
import { seenAll, seenNothing } from '../../../observed.ts';
import { platformOf } from '../../../platform.ts';
import { contextOf } from '../../../request-context.ts';
import { pageAt } from '../page-at.ts';

const map = (page: string): string => /<figure class="map">.*?<\/figure>/s.exec(page)?.[0] ?? '';

/** The lines of the first screen, without markup. */
const firstScreen = (observed: ObservedRequest): string[] => {
  const facts = /<dl class="facts">(.*?)<\/dl>/s.exec(pageAt('/', observed))?.[1] ?? '';
  return [...facts.matchAll(/<div>(.*?)<\/div>/gs)].map(([, row = '']) =>
    row
      .replaceAll('</dt>', ': ')
      .replace(/<[^>]+>/g, '')
      .replaceAll('&#39;', "'"),
  );
};

test('shows every known value with its JSON path and curl command, and names what is missing in a sentence', () => {
  for (const observed of [seenAll, seenNothing]) {
    const page = pageAt('/', observed);
    const lines = flatten(info(observed, observed.origin, 0))
      .trimEnd()
      .split('\n');
    for (const line of lines) {
      const path = line.slice(0, line.indexOf(':'));
      if (page.includes(`<li id="${path}">`))
        assert.ok(page.includes(`grep &#39;^${path.replaceAll('.', '\\.')}:&#39;</code>`), path);
      else {
        assert.match(line, /:$/, path);
        const { label = '' } = fieldsOf(Info).get(path) ?? {};
        assert.ok(isMissing(page, label) || path.startsWith('tls.'), path);
      }
    }
  }
});

const isMissing = (page: string, label: string): boolean =>
  label !== '' &&
  [...page.matchAll(/<p class="small">[^<]*:([^<:]*)\.<\/p>/g)].some(([, labels]) => labels?.includes(label));

test('names the data center beside the service, not among the measurements', () => {
  const missing = (page: string): string[] =>
    [...page.matchAll(/<p class="small">([^<]*: [^<]*)<\/p>/g)].map(([, sentence = '']) => sentence);
  const unknown = missing(pageAt('/', { ...seenAll, colo: null }));
  assert.ok(unknown.includes('Not known: Edge data center.'), unknown.join('\n'));
  const unmeasured = missing(pageAt('/', { ...seenAll, transport: seenNothing.transport })).find((sentence) =>
    sentence.startsWith('Not measured'),
  );
  assert.equal(
    unmeasured,
    'Not measured on this connection: Round-trip time, TCP, Round-trip time, QUIC, Delivery rate.',
  );
});

test('states once why a card has no TLS values', () => {
  for (const [observed, sentence] of [
    [{ ...seenAll, tls: seenNothing.tls }, 'Behind a proxy, the TLS values are not visible here.'],
    [seenNothing, 'Without HTTPS, there are no TLS values.'],
  ] as const) {
    const page = pageAt('/', observed);
    assert.equal(page.split(sentence).length, 2);
    assert.doesNotMatch(page, /<li id="tls\./);
  }
});

test('shows the name of a header once, and links to its row', () => {
  const page = pageAt('/', { ...seenAll, headers: { host: 'seenby.example' } });
  assert.match(page, /<li id="headers\.host"><details><summary><span class="label">host<\/span>/);
});

test('keeps all values in closed lists, with their number and an anchor', () => {
  const page = pageAt('/');
  const folds = [...page.matchAll(/<details class="all"><summary>([^<]*)<\/summary><div id="([^"]+)">/g)];
  assert.deepEqual(
    folds.map(([, , id]) => id),
    [
      ...['address-values', 'browser-values', 'connection-values', 'stable-hashes', 'fingerprint-values'],
      ...['header-values', 'mcp-clients', 'mcp-tools'],
    ],
  );
  const [, first = ''] = page.split('<details class="all">');
  const rows = first.slice(0, first.indexOf('</section>')).match(/<li id="[^"]+"><details>/g) ?? [];
  assert.equal(folds[0]?.[1], `All ${rows.length} values`);
  for (const row of page.matchAll(/<li id="[^"]+"><details>/g))
    assert.ok(page.lastIndexOf('<details class="all">', row.index) > page.lastIndexOf('</section>', row.index));
});

test('names the URL of each request in commands, and quotes it for a shell if needed', () => {
  for (const [origin, word] of [
    ['https://one.example', 'https://one.example/api/rdap'],
    ['http://two.example:8080', 'http://two.example:8080/api/rdap'],
    ['https://[2001:db8::1]:8443', "'https://[2001:db8::1]:8443/api/rdap'"],
  ] as const) {
    const page = pageAt('/', { ...seenAll, origin, headers: {} }).replaceAll('&#39;', "'");
    assert.ok(page.includes(`<code>curl -sG ${word} --data-urlencode q=example.com</code>`), origin);
    assert.ok(page.includes(`${origin}/mcp`));
    assert.doesNotMatch(page, /url\.invalid|<!-- -->/);
    assert.deepEqual([...new Set(page.match(/\w+\.example(?=[:/])/g))], origin.match(/\w+\.example/g) ?? []);
  }
});

test('has only Latin-1 characters of its own: with any other, V8 takes two bytes for each character of the page', () => {
  const ascii = { ...seenNothing, origin: 'https://seenby.example', headers: { 'user-agent': 'curl/8.5.0' } };
  assert.doesNotMatch(pageAt('/', ascii), /[^\0-\xff]/);
});

test('labels every field of Info, once', () => {
  const labels = [...fieldsOf(Info).values()].map(({ label }) => label);
  assert.ok(labels.every((label) => label !== ''));
  assert.deepEqual(labels, [...new Set(labels)]);
});

test('shows units after numbers, outside of what is copied', () => {
  for (const text of ['12.5</bdi> ms', '508</bdi> bytes', '59.9127</bdi>°', '1000000</bdi> bytes/s'])
    assert.ok(pageAt('/').includes(`<bdi>${text}`), text);
});

const rows = (page: string): string[] =>
  page.match(/<li id="[^"]+"><details>.*?<\/details>(?:<button[^>]*><\/button>)?<\/li>/gs) ?? [];

test('has a copy button in every row with a value, and a meaning in every row', () => {
  for (const row of rows(pageAt('/', { ...seenAll, headers: { ...seenAll.headers, 'x-unknown': 'y' } }))) {
    const isKnown = /<span class="value"><bdi>/.test(row);
    assert.ok(
      !isKnown ||
        /<button[^>]* aria-label="Copy [^"]+"><\/button><\/li>$/.test(row) ||
        /more"><p>[^<]+<\/p><(ol|table)/.test(row),
      row,
    );
    assert.match(row, /<div class="more">(<p class="full">.*?<\/p>)?<p>[^<]+<\/p>/s);
  }
});

test('shows no label twice', () => {
  const firefoxHeaders = { 'user-agent': firefox, 'accept-encoding': 'gzip', priority: 'u=0', dnt: '1' };
  const labels = rows(pageAt('/', { ...seenAll, headers: firefoxHeaders })).map((row) =>
    (/class="label">([^<]*)/.exec(row)?.[1] ?? '').toLowerCase(),
  );
  assert.ok(labels.length > 40);
  assert.deepEqual(labels, [...new Set(labels)]);
});

test('shows "no" in the row of bots for a person’s browser', () => {
  const bot = (agent: string) =>
    rows(pageAt('/', { ...seenAll, headers: { 'user-agent': agent } })).find((row) => row.includes('>userAgent.bot<'));
  assert.match(bot(firefox) ?? '', /<span class="none">no<\/span>/);
  assert.equal(bot(''), undefined);
  assert.match(pageAt('/', { ...seenAll, headers: {} }), /Your client does not state: [^<]*Bot/);
});

test('prints commands that match exactly one line, for any header name', () => {
  const headers = Object.fromEntries(
    ["a'b", 'a*b', 'a^b', 'a$b', 'a.b', 'axb', 'a`b', 'a|b'].map((name) => [name, name]),
  );
  const text = flatten(info({ ...seenAll, headers }, 'https://a', 0));
  const page = pageAt('/', { ...seenAll, headers }).replaceAll('&#39;', "'");
  const commands = [...new Set([...page.matchAll(/\| (grep '[^<]*)<\/code>/g)].map(([, each]) => each ?? ''))];
  // One shell for all commands; a line of its own ends the output of each.
  const script = commands.map((command) => `printf %s "$text" | ${command}; echo end`).join('\n');
  const outputs = execFileSync('sh', ['-c', script], { env: { ...process.env, text } })
    .toString()
    .split('end\n');
  for (const name of Object.keys(headers)) assert.ok(outputs.includes(`headers.${name}: ${name}\n`), name);
});

test('quotes any word for a shell', () => {
  for (const word of ["a'b", '$(id)', 'a b', '', '`id`', '"', '\\']) {
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quoteForShell(word)}`]).toString(), word);
  }
});

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';

test('says over HTTP/2 that the next visit may use HTTP/3, if the server offers it and no proxy is in front', () => {
  const note = 'HTTP/2; your next visit may use HTTP/3';
  const direct = { ...seenAll, edgeHeaders: {} };
  const pageOf = (observed: ObservedRequest, offersHttp3: boolean) => pageAt('/', observed, null, { offersHttp3 });
  assert.equal(pageOf(direct, true).split(note).length, 2);
  assert.ok(!pageOf(direct, false).includes(note));
  assert.ok(!pageOf({ ...direct, edgeHeaders: { 'x-forwarded-for': '192.0.2.1' } }, true).includes(note));
  assert.ok(!pageOf({ ...direct, protocol: 'HTTP/3' }, true).includes(note));
});

test('shows provider, location, encryption, browser and what is notable on the first screen', () => {
  assert.deepEqual(firstScreen({ ...seenAll, headers: { ...seenAll.headers, 'user-agent': 'curl/8.5.0' } }), [
    'Provider: Telenor Norge AS AS2119',
    'Location: Oslo, Oslo County, Norway (as the edge says) Estimated from the IP address',
    'Encryption: Yes, with TLS 1.3 HTTP/2, TLS_AES_128_GCM_SHA256',
    'Browser: curl a command-line tool',
    'Notable: Nothing unusual',
  ]);
  const [, , , browser] = firstScreen({ ...seenAll, headers: { 'user-agent': firefox } });
  assert.equal(browser, 'Browser: Firefox 150 on Linux Desktop');
  assert.doesNotMatch(firstScreen({ ...seenAll, headers: { 'user-agent': firefox } }).at(-1) ?? '', /Nothing/);
});

test('omits unknown values on the first screen', () => {
  assert.deepEqual(firstScreen(seenNothing), [
    'Encryption: No, plain HTTP: others can read this in transit',
    'Notable: User-Agent is missing',
  ]);
  for (const ip of ['127.0.0.1', '::1'])
    assert.equal(firstScreen({ ...seenNothing, ip })[0], 'Encryption: No, plain HTTP, from the same machine');
  const forwarded = { ...seenNothing, simulated: false, ip: '127.0.0.1', headers: { 'x-forwarded-for': '192.0.2.1' } };
  assert.equal(firstScreen(forwarded)[0], 'Encryption: Not known: a proxy passed the request on over plain HTTP');
  const secure = { ...seenNothing, origin: 'https://seenby.example', isSecure: true };
  assert.deepEqual(firstScreen(secure)[0], 'Encryption: Yes, HTTPS');
  const numbered = {
    ...seenNothing,
    autonomousSystem: { ...seenNothing.autonomousSystem, asn: 64496, asOrganization: null },
  };
  assert.equal(firstScreen(numbered)[0], 'Provider: AS64496');
  const located = { ...seenNothing, location: { ...seenNothing.location, country: 'LU' } };
  assert.equal(firstScreen(located)[0], 'Location: Luxembourg Estimated from the IP address');
  assert.match(pageAt('/', { ...seenNothing, ip: '127.0.0.1' }), /<p class="where">A private or reserved address/);
});

test('marks the location with a circle as large as the uncertainty', () => {
  assert.match(map(pageAt('/')), /class="estimate" r="50"/);
  assert.match(map(pageAt('/')), /Accurate to about 50 km at best/);
  assert.match(
    map(pageAt('/')),
    /"https:\/\/www\.openstreetmap\.org\/\?mlat=59\.9127&amp;mlon=10\.7461#map=9\/59\.9127\/10\.7461"/,
  );
});

test('the map shows the surroundings of the location, and the page has no other part of the world', () => {
  const boxOf = (latitude: number, longitude: number) => {
    const drawn = map(pageAt('/', { ...seenAll, location: { ...seenAll.location, latitude, longitude } }));
    const [left = 0, top = 0, width = 0, height = 0] =
      /viewBox="([^"]+)"/.exec(drawn)?.[1]?.split(' ').map(Number) ?? [];
    const [, x, y] = /<circle class="pin" cx="(-?\d+)" cy="(-?\d+)"/.exec(drawn) ?? [];
    return { left, top, width, height, x: Number(x), y: Number(y), length: drawn.length };
  };
  for (const [latitude, longitude] of [
    [59.9, 10.7],
    [-33.9, 151.2],
    [65, -179.9],
    [-55, -68],
  ] as const) {
    const { left, top, width, height, x, y, length } = boxOf(latitude, longitude);
    assert.ok(width < 1200 && x >= left && x <= left + width && y >= top && y <= top + height, `${latitude}`);
    assert.ok(length < 14_000, `${length} characters`);
  }
});

test('has no map if coordinates are missing or out of range', () => {
  for (const [latitude, longitude] of [
    [null, null],
    [91, 0],
    [0, 181],
    [Number.NaN, 0],
  ] as const) {
    const location = { ...seenAll.location, latitude, longitude };
    assert.equal(map(pageAt('/', { ...seenAll, location })), '');
  }
});

test('draws locations at the North Pole and on the date line', () => {
  for (const [latitude, longitude] of [
    [90, 0],
    [-54, 180],
    [65, -179.9],
    [0, 180],
  ] as const) {
    const drawn = map(pageAt('/', { ...seenAll, location: { ...seenAll.location, latitude, longitude } }));
    assert.match(drawn, /class="estimate"/);
    assert.doesNotMatch(drawn, /NaN|Infinity/);
  }
});

test('shows a banner and "not available" on a simulated request without address', () => {
  assert.match(pageAt('/', seenNothing), /<h1 class="address">not available<\/h1>/);
  assert.match(pageAt('/', seenNothing), /class="banner"/);
  assert.doesNotMatch(pageAt('/'), /class="banner"/);
  assert.match(pageAt('/'), /<\/h1> <button type="button" class="copy" aria-label="Copy the IP address">/);
  assert.doesNotMatch(pageAt('/', seenNothing), /Copy the IP address/);
});

test('has a form for every lookup', () => {
  const page = pageAt('/');
  for (const lookup of lookups) {
    const form = lookupPageOf(lookup);
    const { parameter } = lookup;
    for (const text of [`<form action="${form.path}"`, `name="${parameter.name}"`, `<button>${form.action}</button>`])
      assert.ok(page.includes(text), text);
  }
});

test('identifies the client and gives reasons', () => {
  const because = (agent: string) =>
    pageAt('/', { ...seenAll, headers: { 'user-agent': agent } }).replace(/<[^>]+>/g, '');
  assert.match(because(''), /It sent no User-Agent header/);
  assert.match(because('curl/8.5.0'), /a command-line tool:\s+Its User-Agent matches the one curl sends/);
  assert.match(because('Xyzzy/1.0'), /a bot:\s+Its User-Agent names Xyzzy; this is not/);
  assert.match(
    because('Mozilla/5.0 (Apple TV; U; CPU AppleTV5,3 OS 9.0.2 like Mac OS X)'),
    /matches no browser, library, tool or bot/,
  );
  assert.match(because(firefox), /Firefox 150 on Linux/);
  assert.match(because(firefox), /It sent no Client Hints/);
  assert.doesNotMatch(because(firefox), /Browsers freeze/);
  const windows =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36';
  assert.match(because(windows), /Browsers freeze the OS in the User-Agent: Windows 10 is Windows 10 or 11\./);
});

test('escapes all data from clients and databases', () => {
  const hostile = `"><script>alert('1')</script>&<img src=x onerror=y>`;
  const headers: Record<string, string> = Object.create(null);
  for (const name of ['user-agent', 'host', 'x-<b>', '__proto__', 'sec-ch-ua']) headers[name] = hostile;
  const page = pageAt('/', {
    ...seenAll,
    origin: `https://${hostile}`,
    query: `rdap=${encodeURIComponent(hostile)}`,
    ip: hostile,
    colo: hostile,
    protocol: hostile as 'HTTP/2',
    acceptEncoding: hostile,
    tls: { ...seenAll.tls, version: hostile, cipher: hostile },
    location: { ...seenAll.location, city: hostile, region: hostile },
    autonomousSystem: { ...seenAll.autonomousSystem, asn: 1, asOrganization: hostile },
    headers,
    edgeHeaders: { x: hostile },
  });
  assert.equal(page.match(/<script/g)?.length, 2);
  assert.doesNotMatch(page.replace(/<script type="module">.*<\/script>/s, ''), /<img|<b>x|alert\('/i);
  assert.ok(page.includes('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&lt;img src=x onerror=y&gt;'));
});

test('shows invisible characters as code points and keeps text direction', () => {
  assert.equal(`${renderUntrusted('a\u202eb')}`, '<bdi>a<span class="invisible">U+202E</span>b</bdi>');
  assert.equal(`${renderUntrusted('\u0000\u200b\u{e0041}')}`.match(/class="invisible"/g)?.length, 3);
  assert.equal(`${renderUntrusted('\ud800')}`, '<bdi><span class="invisible">U+D800</span></bdi>');
  assert.equal(`${renderUntrusted('زيت é 漢字 👍')}`, '<bdi>زيت é 漢字 👍</bdi>');
  // A cut leaves no half of a character, which would look like an invisible one.
  assert.equal(`${renderUntrusted('a👍b', 2)}`, '<bdi>a</bdi> <span class="none">… 3 more characters</span>');
  assert.doesNotMatch(pageAt('/', { ...seenAll, headers: { 'x-long': `a${'👍'.repeat(200)}` } }), /U\+D83D/);
  const page = pageAt('/', { ...seenAll, headers: { 'x-bidi': 'a\u202eb\u2066c' } });
  assert.doesNotMatch(page, /[\u202a-\u202e\u2066-\u2069]/);
});

test('cuts a long value in its row and shows all of it in the open row', () => {
  const value = 'v'.repeat(8192);
  const page = pageAt('/', { ...seenAll, headers: { 'x-long': value } });
  assert.ok(page.includes('&hellip; 8192 characters'));
  assert.ok(page.includes(`<p class="full"><bdi>${value}</bdi></p>`));
});

test('stays under 45 KB compressed with a browser’s headers', () => {
  const headers = {
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`sec-ch-ua-${n}`, `"Chromium";v="15${n}"`])),
  };
  const { length } = gzipSync(pageAt('/', { ...seenAll, headers }));
  assert.ok(length < 45_000, `${length}`);
});

test('states the month of the location data and the version, and names a contact if one is set', () => {
  const start = endpoints.find(({ path }) => path === '/')?.render.html ?? assert.fail();
  const addressData = {
    locate: () => assert.fail(),
    autonomousSystem: () => assert.fail(),
    builtAt: () => new Date('2026-06-05'),
  };
  const pageWith = (deployment: Partial<Deployment>) =>
    `${start(contextOf({ observed: seenAll, platform: platformOf({ addressData }), deployment: { publicUrl: null, contact: null, ...deployment }, baseUrl: seenAll.origin }), unlimited)}`;
  assert.match(pageWith({}), /Location data of June 2026\./);
  assert.match(pageWith({}), new RegExp(`<p>Seenby ${product.version.replaceAll('.', '\\.')} · `));
  assert.doesNotMatch(pageWith({}), />Contact</);
  assert.match(
    pageWith({ contact: { email: 'ops@seenby.example' } }),
    /<a href="mailto:ops@seenby\.example">Contact<\/a>/,
  );
});

test('parts that do not depend on the request are rendered once, and never for the Host of another request', () => {
  const start = endpoints.find(({ path }) => path === '/')?.render.html ?? assert.fail();
  const render = (deployment: Deployment, baseUrl: string) =>
    `${start(contextOf({ observed: seenAll, deployment, baseUrl }), unlimited)}`;
  const open = { publicUrl: null, contact: null };
  for (const host of ['https://one.example', 'https://two.example'])
    assert.ok(render(open, host).includes(`<code>${host}/mcp</code>`), host);
  const set = { publicUrl: 'https://seenby.example', contact: null };
  assert.equal(render(set, set.publicUrl), render(set, set.publicUrl));
});

test('warns of X-Forwarded-For only if it arrived, from a sender that is not a trusted proxy, and is not simulated', () => {
  const note = 'its sender is not a trusted proxy';
  const headers = { ...seenAll.headers, 'x-forwarded-for': '192.0.2.1' };
  const direct = { ...seenAll, headers, edgeHeaders: {}, simulated: false };
  const isWarned = (changed: Partial<ObservedRequest>): boolean =>
    pageAt('/', { ...direct, ...changed }).includes(note);
  assert.equal(isWarned({}), true);
  const { 'x-forwarded-for': _, ...others } = headers;
  assert.equal(isWarned({ headers: others }), false);
  assert.equal(isWarned({ edgeHeaders: { 'x-forwarded-for': '192.0.2.1' } }), false);
  assert.equal(isWarned({ simulated: true }), false);
});
