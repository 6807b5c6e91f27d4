/** Obtains one certificate from a CA (RFC 8555), by acme-client over our own requests. */
import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Authorization, axios, Order } from 'acme-client';
import { normalizeAddress, parseAddress } from '../../core/address.ts';
import type { Platform } from '../../core/platform.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { pauseAfter } from '../../edges/node/pauses.ts';
import type { Certificate } from '../certificate.ts';
import { isCovered } from '../certificate-chain.ts';
import type { Challenge, ChallengeUpdate } from './challenges.ts';
import { AcmeFailure, cleanDetail, readProblem } from './failures.ts';
import { isUsable } from './in-use.ts';
import { certificateIdOf } from './renewal-info.ts';
import { createRequests, readDirectory, type SendRequest } from './requests.ts';
import { createKey } from './store.ts';

export type ChallengeType = Challenge['type'];

export interface OrderRequest {
  readonly settings: Pick<
    Settings,
    | 'acmeDirectory'
    | 'acmeDomain'
    | 'acmeEabHmacKey'
    | 'acmeEabKid'
    | 'acmeEmail'
    | 'acmeProfile'
    | 'port'
    | 'publicUrl'
  >;
  readonly bounds: Pick<Bounds, 'acmePollMs' | 'acmeOrderTimeoutMs'>;
  /** PEM. */
  readonly accountKey: string;
  /** The certificate in use, PEM; null if there is none. */
  readonly replaced: string | null;
  readonly challengeType: ChallengeType;
  readonly fetch: Platform['fetch'];
  /** Opens and ends challenges; resolves when every server can respond. */
  readonly publish: (update: ChallengeUpdate) => Promise<void> | void;
  /** Ends the order. */
  readonly signal: AbortSignal;
}

type Session = Awaited<ReturnType<typeof openSession>>;

/** Runs one order from the account to the certificate. Rejects with an AcmeFailure, or with the reason of the signal. */
export async function orderCertificate(request: OrderRequest): Promise<Certificate> {
  const session = await openSession(request);
  try {
    const extensions = await chooseExtensions(session);
    await openAccount(session);
    return await runOrder(session, extensions);
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof AcmeFailure) throw error;
    const text = `the certificate authority sent an unexpected response (${cleanDetail((error as Error).message)})`;
    throw new AcmeFailure(text, { reason: 'not-acme' });
  }
}

async function openSession(request: OrderRequest) {
  // Loaded here: it takes memory that only a process with ACME_DOMAIN needs, and only when a certificate is due.
  const { axios, Client, crypto } = (await import('acme-client')).default as typeof import('acme-client');
  const { settings, accountKey, signal, bounds } = request;
  const { acmeDirectory: directoryUrl, acmeEabKid: kid, acmeEabHmacKey: hmacKey } = settings;
  const binding = kid === null || hmacKey === null ? {} : { externalAccountBinding: { kid, hmacKey } };
  const endMs = performance.now() + bounds.acmeOrderTimeoutMs * (1 + settings.acmeDomain.length);
  const pace = { endMs, retryAfterMs: 0 };
  const pauses = { firstMs: bounds.acmePollMs, maxMs: 10 * bounds.acmePollMs };
  const send = createRequests(request.fetch, settings.publicUrl);
  // The library has one HTTP client for all.
  axios.defaults.adapter = createAdapter(send, pace);
  return {
    ...request,
    send,
    crypto,
    client: new Client({ directoryUrl, accountKey, ...binding }),
    /** Reads until it is done, no more often than the CA permits, up to the end of the order's time. */
    async poll<Item>(read: () => Promise<Item>, isDone: (item: Item) => boolean): Promise<Item> {
      for (let reads = 1; ; reads += 1) {
        const item = await read();
        if (isDone(item)) return item;
        const pauseMs = Math.max(pauseAfter(reads, pauses), pace.retryAfterMs);
        if (performance.now() + pauseMs > endMs) throw lateFailure();
        await sleep(pauseMs, undefined, { signal });
      }
    },
  };
}

/** Finds the account of the key, or creates it; sets its email address. */
async function openAccount({ client, settings }: Session): Promise<void> {
  const contact = settings.acmeEmail === null ? [] : [`mailto:${settings.acmeEmail}`];
  try {
    // Checked first: if the account exists, acme-client would follow up with an update that a strict CA rejects as empty.
    const { contact: known = [] } = await client.createAccount({ onlyReturnExisting: true });
    if (contact.some((each) => !known.includes(each))) await client.updateAccount({ contact });
  } catch (error) {
    if (!(error instanceof AcmeFailure) || error.reason !== 'accountDoesNotExist') throw error;
    await client.createAccount({ termsOfServiceAgreed: true, contact });
  }
}

/** Members of a new order beyond RFC 8555. */
interface Extensions {
  /** draft-ietf-acme-profiles */
  readonly profile?: string;
  /** Identifier of the certificate that this order renews (RFC 9773 §5). */
  readonly replaces?: string;
}

/** Returns the members that this order needs and the directory permits; throws if the directory lacks ACME_PROFILE. */
async function chooseExtensions({ send, settings, replaced }: Session): Promise<Extensions> {
  const { acmeProfile: profile, acmeDirectory } = settings;
  const replaces = replaced === null ? null : replacedIdOf(replaced, settings.acmeDomain);
  if (profile === null && replaces === null) return {};
  const { profiles, renewalInfo } = await readDirectory(send, acmeDirectory);
  if (profile !== null && !profiles.includes(profile)) {
    const offered = cleanDetail(profiles.join(', ')) || 'none';
    const text = `the certificate authority has no profile ${profile}; it offers: ${offered}`;
    throw new AcmeFailure(text, { reason: 'invalidProfile' });
  }
  return {
    ...(profile !== null && { profile }),
    ...(replaces !== null && renewalInfo !== null && { replaces }),
  };
}

/** The identifier of a certificate, PEM, that an order of the domains may replace: CAs demand a name in common. Null otherwise. */
function replacedIdOf(cert: string, domains: readonly string[]): string | null {
  const leaf = new X509Certificate(cert);
  return domains.some((domain) => isCovered(leaf, domain)) ? certificateIdOf(cert) : null;
}

async function createOrder({ client, settings }: Session, { replaces, ...others }: Extensions): Promise<Order> {
  const request = { identifiers: settings.acmeDomain.map(identifierOf), ...others };
  if (replaces === undefined) return client.createOrder(request);
  const replacing = { ...request, replaces };
  return client.createOrder(replacing).catch((error: unknown) => {
    if (error instanceof AcmeFailure && error.reason === 'rateLimited') throw error;
    // CAs reject a replacement with various types of error, and the domains need a certificate even if it replaces none.
    return client.createOrder(request);
  });
}

/** The identifier of a domain, or of an IP address (RFC 8738 §3). */
const identifierOf = (value: string) => ({ type: parseAddress(value) === null ? 'dns' : 'ip', value });

async function runOrder(session: Session, extensions: Extensions): Promise<Certificate> {
  const { crypto, client, poll, publish } = session;
  const { acmeDomain: domains } = session.settings;
  let order = await createOrder(session, extensions);
  if (order.authorizations.length > domains.length) throw unusable('more authorizations than domains');
  for (const url of order.authorizations) {
    try {
      await authorize(session, url);
    } finally {
      await publish({ kind: 'challenges-ended' });
    }
  }
  const readOrder = (): Promise<Order> => client.getOrder(order);
  order = await poll(readOrder, ({ status }) => status !== 'pending');
  const key = createKey();
  if (order.status === 'ready') {
    const [, csr] = await crypto.createCsr({ altNames: [...domains] }, key);
    await client.finalizeOrder(order, csr);
    order = await poll(readOrder, ({ status }) => status !== 'ready' && status !== 'processing');
    if (order.status === 'valid') {
      const certificate = { key, cert: await client.getCertificate(order) };
      if (!isUsable(certificate, domains)) throw unusable('a certificate that does not fit the order');
      return certificate;
    }
  }
  const { type, detail } = readProblem(order.error ?? {});
  const text = `the order became ${cleanDetail(order.status)} (${detail || 'no reason'})`;
  throw new AcmeFailure(text, { reason: type ?? 'unusable' });
}

/** RFC 8555 §8.1: base64url, with at least 128 bits; the upper bound is ours. */
const tokenShape = /^[\w-]{16,256}$/;

/** Has the CA validate one domain or address. */
async function authorize(session: Session, url: string): Promise<void> {
  const { crypto, client, poll, settings, challengeType, publish } = session;
  const read = async (): Promise<Authorization> => {
    const [authorization] = await client.getAuthorizations({ authorizations: [url] } as Order);
    if (authorization === undefined) throw unusable('no authorization');
    return authorization;
  };
  const pending = await read();
  // Validated for an earlier order.
  if (pending.status === 'valid') return;
  const domain = normalizeAddress(pending.identifier.value.toLowerCase());
  if (!settings.acmeDomain.includes(domain)) throw unusable('an authorization of another domain');
  const challenge = pending.challenges.find(({ type }) => (type as string) === challengeType);
  if (challenge === undefined || !tokenShape.test(challenge.token)) {
    const text = `the certificate authority offers no ${challengeType} for ${domain}`;
    throw new AcmeFailure(text, { step: 'challenge', reason: 'unavailable' });
  }
  const keyAuthorization = await client.getChallengeKeyAuthorization(challenge);
  if (challengeType === 'http-01') {
    const { token } = challenge;
    await publish({ kind: 'challenge', challenge: { type: 'http-01', token, keyAuthorization } });
  } else {
    const [key, cert] = await crypto.createAlpnCertificate(pending, keyAuthorization, createKey());
    const certificate = { key: key.toString(), cert: cert.toString() };
    await publish({ kind: 'challenge', challenge: { type: 'tls-alpn-01', domain, certificate } });
  }
  await client.completeChallenge(challenge);
  const decided = await poll(read, ({ status }) => status !== 'pending');
  if (decided.status === 'valid') return;
  const { type, detail } = readProblem(decided.challenges.find(({ status }) => status === 'invalid')?.error ?? {});
  const reason = detail || cleanDetail(decided.status);
  const text = `${domain} could not be validated by ${challengeType.toUpperCase()} (${reason})`;
  throw new AcmeFailure(text, { step: 'challenge', reason: type ?? '' });
}

function unusable(what: string): AcmeFailure {
  return new AcmeFailure(`the certificate authority sent ${what}`, { reason: 'unusable' });
}

type Adapter = Extract<NonNullable<(typeof axios)['defaults']['adapter']>, (...args: never[]) => unknown>;

/**
 * An adapter that replaces the HTTP client and the retries of acme-client: it has no timeout, and repeats a request that is over a limit
 * with the same nonce (https://github.com/publishlab/node-acme-client/issues/103). acme-client itself retries after badNonce. `pace` has the
 * monotonic time after which no request is sent, and gets the Retry-After of the latest response in milliseconds; 0 if it had none.
 */
const createAdapter =
  (send: SendRequest, pace: { readonly endMs: number; retryAfterMs: number }): Adapter =>
  async (config) => {
    const { method = 'get', url = '', data } = config;
    if (performance.now() > pace.endMs) throw lateFailure();
    // GET also returns a nonce (RFC 8555 §7.2).
    const response = await send(url, method.toLowerCase() === 'post' ? `${data}` : null);
    pace.retryAfterMs = response.retryAfterMs;
    return { status: response.status, statusText: '', headers: { ...response.headers }, data: response.body, config };
  };

/** The failure of an order that takes too long. */
function lateFailure(): AcmeFailure {
  return new AcmeFailure('the certificate authority did not finish the order in time', { reason: 'timeout' });
}
