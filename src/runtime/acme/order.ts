/** Obtains one certificate from a certificate authority (RFC 8555), with the library acme-client. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import type { Authorization, Client, Order } from 'acme-client';
import type { Platform } from '../../core/platform.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { Certificate } from '../certificate.ts';
import type { Challenge, ChallengeUpdate } from './challenges.ts';
import { AcmeFailure, cleanDetail } from './failures.ts';
import { createKey } from './store.ts';
import { createTransport, lateFailure, readProblem, type Transport } from './transport.ts';

export type ChallengeType = Challenge['type'];

export interface OrderRequest {
  readonly directoryUrl: string;
  readonly email: string | null;
  readonly domains: readonly string[];
  /** PEM. */
  readonly accountKey: string;
  readonly challengeType: ChallengeType;
  readonly userAgent: string;
  readonly fetch: Platform['fetch'];
  /** Opens and ends challenges; resolves when every server can respond. */
  readonly publish: (update: ChallengeUpdate) => Promise<void> | void;
  readonly bounds: Pick<Bounds, 'acmePollMs' | 'acmeOrderTimeoutMs'>;
  /** Ends the order. */
  readonly signal: AbortSignal;
}

type Acme = typeof import('acme-client');

/** Runs one order from the account to the certificate. Rejects with an AcmeFailure, or with the reason of the signal. */
export async function orderCertificate(request: OrderRequest): Promise<Certificate> {
  // Loaded here: it takes memory that only a process with ACME_DOMAIN needs, and only when a certificate is due.
  const acme = (await import('acme-client')).default as Acme;
  const endMs = performance.now() + request.bounds.acmeOrderTimeoutMs * (1 + request.domains.length);
  const transport = createTransport(request.fetch, request.userAgent, endMs);
  // The library has one HTTP client for all.
  acme.axios.defaults.adapter = transport.adapter;
  const { directoryUrl, accountKey, signal } = request;
  const client = new acme.Client({ directoryUrl, accountKey });
  try {
    return await runOrder(acme, client, transport, request);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AcmeFailure) throw error;
    const text = `the certificate authority sent an unexpected response (${cleanDetail((error as Error).message)})`;
    throw new AcmeFailure('request', 'not-acme', text);
  }
}

async function runOrder(acme: Acme, client: Client, transport: Transport, request: OrderRequest): Promise<Certificate> {
  const { domains, email, publish } = request;
  const poll = createPoll(transport, request);
  await openAccount(client, email);
  let order = await client.createOrder({ identifiers: domains.map((value) => ({ type: 'dns', value })) });
  const urls = order.authorizations;
  if (urls.length > domains.length) throw unusable('more authorizations than domains');
  for (const url of urls) {
    try {
      await authorize(acme, client, url, request, poll);
    } finally {
      await publish({ kind: 'challenges-ended' });
    }
  }
  const readOrder = (): Promise<Order> => client.getOrder(order);
  order = await poll(readOrder, ({ status }) => status !== 'pending');
  if (order.status === 'ready') {
    const key = createKey();
    const [, csr] = await acme.crypto.createCsr({ altNames: [...domains] }, key);
    await client.finalizeOrder(order, csr);
    order = await poll(readOrder, ({ status }) => status !== 'ready' && status !== 'processing');
    if (order.status === 'valid') return checkCertificate({ key, cert: await client.getCertificate(order) }, domains);
  }
  const { type, detail } = readProblem(order.error);
  throw new AcmeFailure(
    'request',
    type ?? 'unusable',
    `the order became ${cleanDetail(order.status)} (${detail || 'no reason'})`,
  );
}

/** Finds the account of the key, or creates it; sets its email address. */
async function openAccount(client: Client, email: string | null): Promise<void> {
  const contact = email === null ? [] : [`mailto:${email}`];
  try {
    // Checked first: if the account exists, acme-client would follow up with an update that a strict authority rejects as empty.
    const { contact: known = [] } = await client.createAccount({ onlyReturnExisting: true });
    if (contact.some((each) => !known.includes(each))) await client.updateAccount({ contact });
  } catch (error) {
    if (!(error instanceof AcmeFailure) || error.reason !== 'accountDoesNotExist') throw error;
    await client.createAccount({ termsOfServiceAgreed: true, contact });
  }
}

type Poll = <Item>(read: () => Promise<Item>, isDone: (item: Item) => boolean) => Promise<Item>;

/** Reads until it is done, no more often than the authority permits, up to the end of the order's time. */
function createPoll(transport: Transport, { bounds, signal }: OrderRequest): Poll {
  return async (read, isDone) => {
    for (let reads = 1; ; reads += 1) {
      const item = await read();
      if (isDone(item)) return item;
      const pauseMs = Math.max(bounds.acmePollMs * Math.min(reads, 10), transport.retryAfterMs());
      if (performance.now() + pauseMs > transport.endMs) throw lateFailure();
      await sleep(pauseMs, undefined, { signal });
    }
  };
}

/** RFC 8555 §8.1: base64url, with at least 128 bits; the upper bound is ours. */
const tokenShape = /^[\w-]{16,256}$/;

/** Has the authority validate one domain. */
async function authorize(acme: Acme, client: Client, url: string, request: OrderRequest, poll: Poll): Promise<void> {
  const { domains, challengeType, publish } = request;
  const read = async (): Promise<Authorization> => {
    const [read] = await client.getAuthorizations({ authorizations: [url] } as Order);
    if (read === undefined) throw unusable('no authorization');
    return read;
  };
  const pending = await read();
  // Of an earlier order.
  if (pending.status === 'valid') return;
  const domain = pending.identifier.value.toLowerCase();
  if (!domains.includes(domain)) throw unusable('an authorization of another domain');
  const challenge = pending.challenges.find(({ type }) => (type as string) === challengeType);
  if (challenge === undefined || !tokenShape.test(challenge.token))
    throw new AcmeFailure(
      'challenge',
      'unavailable',
      `the certificate authority offers no ${challengeType} for ${domain}`,
    );
  const keyAuthorization = await client.getChallengeKeyAuthorization(challenge);
  if (challengeType === 'http-01') {
    const { token } = challenge;
    await publish({ kind: 'challenge', challenge: { type: 'http-01', token, keyAuthorization } });
  } else {
    const [key, cert] = await acme.crypto.createAlpnCertificate(pending, keyAuthorization, createKey());
    const certificate = { key: key.toString(), cert: cert.toString() };
    await publish({ kind: 'challenge', challenge: { type: 'tls-alpn-01', domain, certificate } });
  }
  await client.completeChallenge(challenge);
  const decided = await poll(read, ({ status }) => status !== 'pending');
  if (decided.status === 'valid') return;
  const failed = decided.challenges.find(({ status }) => status === 'invalid');
  const { type, detail } = readProblem(failed?.error);
  const text = `${domain} could not be validated by ${challengeType.toUpperCase()} (${detail || cleanDetail(decided.status)})`;
  throw new AcmeFailure('challenge', type ?? '', text);
}

/** Returns the certificate if the servers can use it for all of the domains; throws an AcmeFailure otherwise. */
function checkCertificate(certificate: Certificate, domains: readonly string[]): Certificate {
  if (!isUsable(certificate, domains)) throw unusable('a certificate that does not fit the order');
  return certificate;
}

/** Whether the servers can use the certificate, and it is valid for all of the domains at any time. */
export function isUsable({ cert, key }: Certificate, domains: readonly string[]): boolean {
  try {
    createSecureContext({ cert, key });
    const leaf = new X509Certificate(cert);
    return (
      leaf.checkPrivateKey(createPrivateKey(key)) &&
      leaf.validToDate > leaf.validFromDate &&
      domains.every((domain) => leaf.checkHost(domain) !== undefined)
    );
  } catch {
    return false;
  }
}

function unusable(what: string): AcmeFailure {
  return new AcmeFailure('request', 'unusable', `the certificate authority sent ${what}`);
}
