/** Reasons why a certificate could not be obtained, each with what the operator can do. */
import { parseJson } from '../../core/json.ts';
import type { OutboundFailure } from '../../core/platform.ts';
import type { Settings } from '../../core/settings.ts';
import { clip } from '../../core/text.ts';

/** Step of the exchange with the CA in which an attempt failed; `challenge`: it could not validate a domain. */
type Step = 'network' | 'request' | 'challenge';

/** A failed attempt. The message is a sentence without a period. */
export class AcmeFailure extends Error {
  readonly step: Step = 'request';
  /** Key of the step's table of advice; other values have no advice. */
  readonly reason: string = '';
  /** Pause that the CA demands; 0 if none. */
  readonly retryAfterMs: number = 0;

  constructor(message: string, given: Partial<Pick<AcmeFailure, 'step' | 'reason' | 'retryAfterMs'>> = {}) {
    super(message);
    Object.assign(this, given);
  }

  /** Whether another type of challenge may succeed. */
  get dependsOnChallengeType(): boolean {
    return this.step === 'challenge' && this.reason !== 'dns' && this.reason !== 'caa';
  }
}

const maxDetailLength = 300;

/** Text of a CA for a log line. */
export function cleanDetail(detail: unknown): string {
  const text = typeof detail === 'string' ? detail : '';
  return clip(text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim(), maxDetailLength);
}

const errorPrefix = 'urn:ietf:params:acme:error:';

/**
 * Reads a problem document (RFC 8555 §6.7) from a response's text, or from an object that contains it, such as a challenge: its type without
 * prefix, null if it has none of ACME, and its detail.
 */
export function readProblem(problem: unknown) {
  const parsed = typeof problem === 'string' ? parseJson(problem) : { value: problem };
  const { type, detail } = (('value' in parsed && parsed.value) || {}) as Readonly<Record<string, unknown>>;
  const isAcme = typeof type === 'string' && type.startsWith(errorPrefix);
  return { type: isAcme ? type.slice(errorPrefix.length) : null, detail: cleanDetail(detail) };
}

/** Settings that the advice names. */
type Advised = Pick<Settings, 'port' | 'tlsPort' | 'rateLimitStore'>;

type Advice = string | ((advised: Advised) => string);

const reach = ({ port, tlsPort }: Advised): string => {
  const ways = [
    port !== null && `port 80 of the public IP address reaches PORT ${port} of this server`,
    tlsPort !== null && `port 443 reaches TLS_PORT ${tlsPort}, with TLS not terminated before it`,
  ];
  return ways.filter((way) => way !== false).join(', or ');
};
const elsewhere: Advice = (advised) =>
  `another server responded; check the domain's A and AAAA records, or the IP address in ACME_DOMAIN, and that ${reach(advised)}`;
const newAccount = ({ rateLimitStore }: Advised): string => {
  const where = rateLimitStore === null ? '' : ' of all instances, restart RATE_LIMIT_STORE';
  return `delete account.pem in DATA_DIR/acme${where} and restart, to create another account`;
};
const caa = 'allow this certificate authority in the CAA records of the domain';
const contact = 'correct ACME_EMAIL';
const domain = 'correct ACME_DOMAIN, or ACME_PROFILE, on which the permitted names may depend';
const authority = 'the certificate authority has a problem; no action is needed unless it lasts';
const url = 'correct ACME_DIRECTORY';
const connection = 'check ACME_DIRECTORY, and that this server may open connections to it';

/** Why a request to the CA has no response, and what to do. */
const networkFailures: Readonly<Record<OutboundFailure, readonly [text: string, advice: string]>> = {
  blocked: ['the certificate authority has no public address', url],
  own: ['the certificate authority has an address of this service', url],
  unresolved: [
    'the name of the certificate authority does not resolve',
    'check ACME_DIRECTORY and the name servers of this machine',
  ],
  dns_failed: [
    'a query for the addresses of the certificate authority failed',
    'check the name servers of this machine; no action is needed unless it lasts',
  ],
  unreachable: ['the certificate authority is unreachable', connection],
  malformed: ['the response of the certificate authority is not valid HTTP', connection],
  certificate: [
    "the certificate authority's own certificate is not trusted",
    'check ACME_DIRECTORY and the system clock; for a private certificate authority, set NODE_EXTRA_CA_CERTS to the file of its root certificate',
  ],
  timeout: ['the certificate authority did not respond in time', connection],
  too_large: [
    'the certificate authority sent a response that is too large',
    'check that ACME_DIRECTORY is the URL of an ACME directory',
  ],
  informational: ['the certificate authority sent too many informational responses', authority],
  overloaded: ['too many files are open', 'raise the limit of open files'],
};

export const networkFailure = (reason: OutboundFailure): AcmeFailure =>
  new AcmeFailure(networkFailures[reason][0], { step: 'network', reason });

const advice: Readonly<Record<Step, Readonly<Record<string, Advice>>>> = {
  // The types of RFC 8555 §6.7, without their prefix.
  challenge: {
    caa,
    connection: (advised) => `check the firewall, and that ${reach(advised)}`,
    dns: 'a domain needs an A or AAAA record that leads to this server',
    incorrectResponse: elsewhere,
    tls: elsewhere,
    unauthorized: elsewhere,
  },
  request: {
    accountDoesNotExist: newAccount,
    caa,
    externalAccountRequired:
      'set ACME_EAB_KID and ACME_EAB_HMAC_KEY: this certificate authority requires an account at its website (external account binding)',
    invalidContact: contact,
    invalidProfile: 'correct or remove ACME_PROFILE',
    rateLimited: 'the certificate authority limits its orders; restarts do not help',
    rejectedIdentifier: domain,
    serverInternal: authority,
    unauthorized: (advised) => `the account may be deactivated; ${newAccount(advised)}`,
    unsupportedContact: contact,
    unsupportedIdentifier: domain,
    userActionRequired: 'agree to the new terms of service of the certificate authority',
    unusable: authority,
    timeout: authority,
    'not-acme': 'check that ACME_DIRECTORY is the URL of an ACME directory, unless it worked before',
  },
  network: Object.fromEntries(Object.entries(networkFailures).map(([reason, [, text]]) => [reason, text])),
};

/** Advice to the operator; null if none is known. */
export function adviceOf({ step, reason }: AcmeFailure, advised: Advised): string | null {
  const table = advice[step];
  const found = Object.hasOwn(table, reason) ? table[reason] : null;
  return typeof found === 'function' ? found(advised) : (found ?? null);
}
