/** Orders at certificate authorities that are faulty or hostile: bounded, and with a reason. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import type { OutboundRequest, OutboundResult } from '../../../src/core/platform.ts';
import type { Challenge, ChallengeUpdate } from '../../../src/runtime/acme/challenges.ts';
import { AcmeFailure, adviceOf } from '../../../src/runtime/acme/failures.ts';
import { orderCertificate } from '../../../src/runtime/acme/order.ts';
import { certificateIdOf } from '../../../src/runtime/acme/renewal-info.ts';
import { createKey } from '../../../src/runtime/acme/store.ts';
import type { Certificate } from '../../../src/runtime/certificate.ts';
import { exampleOfRfc9773 } from './authority.ts';

const base = 'https://ca.example';
const token = 'a-token-of-22-characters';

type Reply = OutboundResult | Promise<OutboundResult>;
type Script = Readonly<Record<string, (request: OutboundRequest) => Reply>>;

function reply(status: number, body: unknown, headers: Record<string, string> = {}): OutboundResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'replay-nonce': 'nonce', ...headers };
  return { status, headers: all, setCookies: [], body: new TextEncoder().encode(text) };
}

const problem = (status: number, type: string, detail: string, headers = {}): OutboundResult =>
  reply(status, { type: `urn:ietf:params:acme:error:${type}`, detail }, headers);

const challengeOf = (status: string, error?: object) => ({
  type: 'http-01',
  url: `${base}/challenge`,
  token,
  status,
  ...(error && { error }),
});
const authorizationOf = (status: string, more: object = {}) =>
  reply(200, {
    identifier: { type: 'dns', value: 'a.example' },
    status,
    challenges: [challengeOf('pending')],
    ...more,
  });
const orderOf = (status: string, more: object = {}) => ({
  status,
  authorizations: [`${base}/authorization`],
  finalize: `${base}/finalize`,
  ...more,
});

const directory = { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` };

/** An authority whose order stays pending until the authorization is validated, which happens immediately. */
const willing: Script = {
  '/dir': () => reply(200, directory),
  '/nonce': () => reply(204, ''),
  '/account': () => reply(200, { status: 'valid' }, { location: `${base}/account/1` }),
  '/account/1': () => reply(200, { status: 'valid' }),
  '/order': () => reply(201, orderOf('pending'), { location: `${base}/order/1` }),
  '/order/1': () => reply(200, orderOf('ready')),
  '/authorization': () => authorizationOf('valid'),
  '/challenge': () => reply(200, challengeOf('processing')),
  '/finalize': () => reply(200, orderOf('valid', { certificate: `${base}/certificate` })),
  '/certificate': () => reply(200, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
};

interface Run {
  readonly failure: AcmeFailure;
  readonly requests: readonly OutboundRequest[];
  readonly updates: readonly ChallengeUpdate[];
}

async function run(
  changed: Script,
  {
    signal = new AbortController().signal,
    timeoutMs = 60_000,
    acmeProfile = null,
    replaced = null,
  }: { signal?: AbortSignal; timeoutMs?: number; acmeProfile?: string | null; replaced?: string | null } = {},
): Promise<Run> {
  const requests: OutboundRequest[] = [];
  const updates: ChallengeUpdate[] = [];
  const script: Script = { ...willing, ...changed };
  const ordering: Promise<Certificate> = orderCertificate({
    settings: {
      acmeDirectory: `${base}/dir`,
      acmeEabHmacKey: null,
      acmeEabKid: null,
      acmeEmail: null,
      acmeProfile,
      acmeDomain: ['a.example'],
      publicUrl: null,
      port: 80,
    },
    accountKey: createKey(),
    replaced,
    challengeType: 'http-01',
    signal,
    bounds: { acmePollMs: 1, acmeOrderTimeoutMs: timeoutMs },
    fetch: async (request) => {
      requests.push(request);
      return script[new URL(request.url).pathname]?.(request) ?? { failure: 'unreachable' };
    },
    publish: (update) => {
      updates.push(update);
    },
  });
  const failure = await ordering.then(
    () => assert.fail('a certificate'),
    (error: unknown) => error,
  );
  if (!(failure instanceof AcmeFailure)) throw failure;
  return { failure, requests, updates };
}

const rows: readonly [name: string, changed: Script, message: RegExp, advice: RegExp | null][] = [
  [
    'a page instead of a directory',
    { '/dir': () => reply(200, '<html>') },
    /unexpected response \(Unable to locate API/,
    /URL of an ACME directory/,
  ],
  ['no directory', { '/dir': () => reply(404, 'none') }, /responded with status 404$/, /URL of an ACME directory/],
  [
    'a redirect',
    { '/dir': () => reply(301, '', { location: 'https://b.example' }) },
    /unexpected response/,
    /ACME_DIRECTORY/,
  ],
  [
    'a URL that is not https',
    { '/dir': () => reply(200, { newNonce: 'http://10.0.0.1/', newAccount: `${base}/account` }) },
    /URL that is not https/,
    /ACME_DIRECTORY/,
  ],
  [
    'a URL that is not a text',
    { '/dir': () => reply(200, { newNonce: { a: 1 }, newAccount: `${base}/account` }) },
    /not https|unexpected/,
    /ACME_DIRECTORY/,
  ],
  [
    'no nonce',
    { '/nonce': () => ({ ...reply(200, ''), headers: {} }) },
    /unexpected response \(Failed to get nonce/,
    /ACME_DIRECTORY/,
  ],
  ['a response that is too large', { '/order': () => ({ failure: 'too_large' }) }, /too large/, /ACME_DIRECTORY/],
  ['silence', { '/order': () => ({ failure: 'timeout' }) }, /did not respond in time/, /may open connections/],
  [
    'an untrusted certificate',
    { '/dir': () => ({ failure: 'certificate' }) },
    /own certificate is not trusted/,
    /NODE_EXTRA_CA_CERTS/,
  ],
  [
    'a required account',
    { '/account': () => problem(400, 'externalAccountRequired', 'EAB') },
    /status 400 \(EAB\)/,
    /external account binding/,
  ],
  [
    'new terms',
    { '/account': () => problem(403, 'userActionRequired', 'Read https://ca.example/terms') },
    /\(Read https/,
    /new terms of service/,
  ],
  [
    'a bad email address',
    { '/account': () => problem(400, 'invalidContact', 'no MX') },
    /\(no MX\)/,
    /correct ACME_EMAIL/,
  ],
  [
    'a forbidden name',
    { '/order': () => problem(400, 'rejectedIdentifier', 'policy') },
    /\(policy\)/,
    /correct ACME_DOMAIN, or ACME_PROFILE/,
  ],
  ['its own fault', { '/order': () => reply(503, 'maintenance') }, /status 503$/, /no action is needed/],
  [
    'an order without its URL',
    { '/order': () => reply(201, orderOf('pending')) },
    /unexpected response \(Creating/,
    /ACME_DIRECTORY/,
  ],
  [
    'an order that is not an object',
    { '/order': () => reply(201, 'null', { location: `${base}/order/1` }) },
    /unexpected response/,
    /ACME_DIRECTORY/,
  ],
  [
    'more authorizations than domains',
    {
      '/order': () =>
        reply(201, orderOf('pending', { authorizations: Array(9).fill(`${base}/authorization`) }), {
          location: `${base}/order/1`,
        }),
    },
    /more authorizations/,
    /no action/,
  ],
  [
    'an authorization of another domain',
    { '/authorization': () => authorizationOf('pending', { identifier: { type: 'dns', value: 'b.example' } }) },
    /another domain/,
    /no action/,
  ],
  [
    'an authorization of another address',
    { '/authorization': () => authorizationOf('pending', { identifier: { type: 'ip', value: '2001:db8::2' } }) },
    /another domain/,
    /no action/,
  ],
  [
    'an authorization without a name',
    { '/authorization': () => authorizationOf('pending', { identifier: { type: 'dns', value: 1 } }) },
    /unexpected response/,
    /ACME_DIRECTORY/,
  ],
  [
    'no challenge of this type',
    { '/authorization': () => authorizationOf('pending', { challenges: [] }) },
    /offers no http-01 for a\.example/,
    null,
  ],
  [
    'a token that is a path',
    {
      '/authorization': () =>
        authorizationOf('pending', { challenges: [{ ...challengeOf('pending'), token: '../../../../ip?a=bcdefg' }] }),
    },
    /offers no http-01/,
    null,
  ],
  [
    'an order that becomes invalid',
    {
      '/order/1': () =>
        reply(200, orderOf('invalid', { error: { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA' } })),
    },
    /the order became invalid \(CAA\)/,
    /CAA records/,
  ],
];

/** Each would continue without end. */
const endless: readonly (readonly [name: string, changed: Script])[] = [
  ['an authorization that stays pending', { '/authorization': () => authorizationOf('pending') }],
  ['an order that stays pending', { '/order/1': () => reply(200, orderOf('pending')) }],
  ['a long pause', { '/order/1': () => reply(200, orderOf('pending'), { 'retry-after': '86400' }) }],
];

describe('an authority that sends', () => {
  for (const [name, changed, message, advice] of rows) {
    test(`${name} is rejected`, async () => {
      const { failure, requests } = await run(changed);
      assert.match(failure.message, message);
      const advised = adviceOf(failure, { port: 8080, tlsPort: 8443, rateLimitStore: null });
      if (advice === null) assert.equal(advised, null);
      else assert.match(advised ?? '', advice);
      assert.ok(
        requests.every(({ url, timeoutMs, maxBodyBytes }) => url.startsWith(base) && timeoutMs > 0 && maxBodyBytes > 0),
      );
    });
  }

  for (const [name, changed] of endless) {
    test(`${name} is limited to the time of an order`, async () => {
      const { failure, requests } = await run(changed, { timeoutMs: 100 });
      assert.match(failure.message, /did not finish the order in time/);
      assert.match(adviceOf(failure, { port: 8080, tlsPort: 8443, rateLimitStore: null }) ?? '', /no action is needed/);
      assert.ok(requests.length < 500, String(requests.length));
    });
  }

  test('a certificate that does not fit the key is rejected', async () => {
    let finalized = false;
    const { failure } = await run({
      '/finalize': () => {
        finalized = true;
        return reply(200, orderOf('processing'));
      },
      '/order/1': () => reply(200, orderOf(finalized ? 'valid' : 'ready', { certificate: `${base}/certificate` })),
    });
    assert.match(failure.message, /sent a certificate that does not fit the order/);
  });
});

/** What the client has signed in its requests for this path. */
const payloadsOf = ({ requests }: Run, path: string): unknown[] =>
  requests
    .filter(({ url, body }) => url === base + path && body !== null)
    .map(({ body }) =>
      JSON.parse(Buffer.from(JSON.parse(`${Buffer.from(body ?? [])}`).payload, 'base64url').toString()),
    );

/** PEM, with the identifier of its issuer's key. */
function createCertificate(...names: readonly string[]): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null'];
  const altNames = `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`;
  const args = ['req', '-x509', ...key, '-subj', '/CN=test', '-addext', altNames];
  return spawnSync('openssl', args, { encoding: 'utf8' }).stdout;
}

/** The directory with other members. */
const directoryWith = (more: object) => ({
  '/dir': () => reply(200, { ...directory, ...more }),
});

describe('ACME_PROFILE', () => {
  const identifiers = [{ type: 'dns', value: 'a.example' }];
  const offering = (profiles: unknown): Script => ({
    ...directoryWith({ meta: { profiles } }),
    '/order/1': () => reply(200, orderOf('invalid')),
  });
  const profiles = { classic: 'https://ca.example/classic', shortlived: 'six days' };

  test('is in the order if the directory has it, and only if it is set', async () => {
    const chosen = await run(offering(profiles), { acmeProfile: 'shortlived' });
    assert.deepEqual(payloadsOf(chosen, '/order'), [{ identifiers, profile: 'shortlived' }]);
    assert.deepEqual(payloadsOf(await run(offering(profiles)), '/order'), [{ identifiers }]);
  });

  for (const [name, profiles, stated] of [
    ['others', { classic: '', 'tls\u001b[31m\nserver': '' }, 'classic, tls [31m server'],
    ['many', Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`profile-${at}`, ''])), 'profile-0, '],
    ['none', undefined, 'none'],
    ['a list', ['toString'], 'none'],
    ['a text', 'toString', 'none'],
    ['nothing', null, 'none'],
  ] as const)
    test(`is not ordered from an authority that offers ${name}`, async () => {
      const { failure, requests } = await run(offering(profiles), { acmeProfile: 'toString' });
      const text = `the certificate authority has no profile toString; it offers: ${stated}`;
      assert.equal(failure.message.slice(0, text.length), text);
      assert.ok(failure.message.length < 400);
      assert.equal(
        adviceOf(failure, { port: 80, tlsPort: 443, rateLimitStore: null }),
        'correct or remove ACME_PROFILE',
      );
      assert.deepEqual(
        requests.map(({ url }) => url),
        [`${base}/dir`],
      );
    });
});

describe('an order that renews a certificate', () => {
  const identifiers = [{ type: 'dns', value: 'a.example' }];
  const renewing = {
    ...directoryWith({ renewalInfo: `${base}/info` }),
    '/order/1': () => reply(200, orderOf('invalid')),
  };
  const replaced = createCertificate('a.example', 'b.example');
  const replaces = certificateIdOf(replaced);

  test('names it if the directory has renewal information', async () => {
    assert.deepEqual(payloadsOf(await run(renewing, { replaced }), '/order'), [{ identifiers, replaces }]);
    assert.deepEqual(payloadsOf(await run({ '/order/1': renewing['/order/1'] }, { replaced }), '/order'), [
      { identifiers },
    ]);
    assert.deepEqual(payloadsOf(await run(renewing), '/order'), [{ identifiers }]);
  });

  test('does not name one without a name in common', async () => {
    for (const other of [createCertificate('b.example'), exampleOfRfc9773.pem])
      assert.deepEqual(payloadsOf(await run(renewing, { replaced: other }), '/order'), [{ identifiers }]);
  });

  for (const [name, rejection] of [
    ['alreadyReplaced', problem(409, 'alreadyReplaced', 'replaced')],
    ['conflict', problem(409, 'conflict', 'replaced')],
    ['malformed', problem(400, 'malformed', 'unknown')],
    ['serverInternal', problem(500, 'serverInternal', '')],
    ['without a type', reply(400, '')],
  ] as const)
    test(`does not name it again after an error ${name}`, async () => {
      let orders = 0;
      const order = (): OutboundResult => {
        orders += 1;
        return orders === 1 ? rejection : reply(201, orderOf('pending'), { location: `${base}/order/1` });
      };
      const done = await run({ ...renewing, '/order': order }, { replaced });
      assert.deepEqual(payloadsOf(done, '/order'), [{ identifiers, replaces }, { identifiers }]);
      assert.match(done.failure.message, /the order became invalid/);
    });

  test('is repeated once, and not after a rate limit', async () => {
    for (const [type, orders] of [
      ['rejectedIdentifier', 2],
      ['rateLimited', 1],
    ] as const) {
      const failing = await run({ ...renewing, '/order': () => problem(400, type, 'no') }, { replaced });
      assert.deepEqual([failing.failure.reason, payloadsOf(failing, '/order').length], [type, orders]);
    }
  });
});

test('the advice about a challenge fits a domain and an IP address', () => {
  const adviceFor = (reason: string, port: number | null) =>
    adviceOf(new AcmeFailure('', { step: 'challenge', reason }), { port, tlsPort: 8443, rateLimitStore: null });
  assert.equal(
    adviceFor('unauthorized', 8080),
    "another server responded; check the domain's A and AAAA records, or the IP address in ACME_DOMAIN, and that port 80 of the public IP address reaches PORT 8080 of this server, or port 443 reaches TLS_PORT 8443, with TLS not terminated before it",
  );
  assert.equal(
    adviceFor('connection', null),
    'check the firewall, and that port 443 reaches TLS_PORT 8443, with TLS not terminated before it',
  );
});

test('reports the pause that a rate limit demands, and does not repeat the request', async () => {
  const limited = () => problem(429, 'rateLimited', 'too many orders', { 'retry-after': '3600' });
  const { failure, requests } = await run({ '/order': limited });
  assert.deepEqual([failure.reason, failure.retryAfterMs], ['rateLimited', 3_600_000]);
  assert.match(failure.message, /status 429 \(too many orders\)/);
  assert.match(adviceOf(failure, { port: 80, tlsPort: 443, rateLimitStore: null }) ?? '', /restarts do not help/);
  assert.equal(requests.filter(({ url }) => url.endsWith('/order')).length, 1);
});

test('ends the challenges, and names the fault of a domain', async () => {
  let reads = 0;
  const error = { type: 'urn:ietf:params:acme:error:dns', detail: 'NXDOMAIN\u001b[31m looking\r\nup A' };
  const { failure, updates } = await run({
    '/authorization': () => {
      reads += 1;
      return reads === 1
        ? authorizationOf('pending')
        : authorizationOf('invalid', { challenges: [challengeOf('invalid', error)] });
    },
  });
  assert.equal(failure.message, 'a.example could not be validated by HTTP-01 (NXDOMAIN [31m looking up A)');
  assert.equal(
    adviceOf(failure, { port: 80, tlsPort: 443, rateLimitStore: null }),
    'a domain needs an A or AAAA record that leads to this server',
  );
  assert.equal(failure.dependsOnChallengeType, false);
  const [opened, ended] = updates;
  const challenge = opened?.kind === 'challenge' ? (opened.challenge as Extract<Challenge, { type: 'http-01' }>) : null;
  assert.ok(challenge?.keyAuthorization.startsWith(`${token}.`));
  assert.deepEqual([updates.length, ended?.kind], [2, 'challenges-ended']);
});

test('repeats a request whose nonce is rejected, but not without end', async () => {
  const { failure, requests } = await run({ '/order': () => problem(400, 'badNonce', 'bad nonce') });
  assert.match(failure.message, /bad nonce/);
  assert.equal(requests.filter(({ url }) => url.endsWith('/order')).length, 6);
});

test('stops when the service stops', async () => {
  const ending = new AbortController();
  const pending = run(
    { '/order/1': () => reply(200, orderOf('pending'), { 'retry-after': '0' }) },
    { signal: ending.signal },
  );
  ending.abort(new Error('stopping'));
  await assert.rejects(pending, { message: 'stopping' });
});

test('shortens a long detail', async () => {
  const { failure } = await run({ '/order': () => problem(500, 'serverInternal', 'x'.repeat(100_000)) });
  assert.ok(failure.message.length < 400);
});
