/** Reasons why a certificate could not be obtained, each with what the operator can do. */
import type { OutboundFailure } from '../../core/platform.ts';

/** Values that the advice names. */
export interface Advised {
  readonly port: number | null;
  readonly tlsPort: number | null;
}

/** Step of the exchange with the certificate authority in which an attempt failed; `challenge`: it could not validate a domain. */
type Step = 'network' | 'request' | 'challenge';

/** A failed attempt. The message is a sentence without a period. */
export class AcmeFailure extends Error {
  readonly step: Step;
  /** Key of the step's table; other values have no advice. */
  readonly reason: string;
  /** Pause that the authority demands; 0 if none. */
  readonly retryAfterMs: number;

  constructor(step: Step, reason: string, message: string, retryAfterMs = 0) {
    super(message);
    this.step = step;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether another type of challenge may succeed. */
  get dependsOnChallengeType(): boolean {
    return this.step === 'challenge' && this.reason !== 'dns' && this.reason !== 'caa';
  }
}

const maxDetailLength = 300;

/** Text of a certificate authority for a log line. */
export function cleanDetail(detail: unknown): string {
  const text = typeof detail === 'string' ? detail : '';
  const clean = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return clean.length > maxDetailLength ? `${clean.slice(0, maxDetailLength)}…` : clean;
}

type Advice = (advised: Advised) => string;

const reach: Advice = ({ port, tlsPort }) =>
  [
    port === null ? null : `port 80 of the domain must reach PORT ${port} of this server`,
    tlsPort === null ? null : `port 443 must reach TLS_PORT ${tlsPort}, with TLS not terminated before it`,
  ]
    .filter((each) => each !== null)
    .join(', or ');

const elsewhere: Advice = (advised) =>
  `another server responded; check the A and AAAA records of the domain, and that ${reach(advised)}`;

const caaAdvice: Advice = () => 'allow this certificate authority in the CAA records of the domain';
const contact: Advice = () => 'correct ACME_EMAIL';
const domain: Advice = () => 'correct ACME_DOMAIN';
const authority: Advice = () => 'the certificate authority has a problem; no action is needed unless it lasts';

/** RFC 8555 §6.7, without the prefix of the types. */
const challengeAdvice: Readonly<Record<string, Advice>> = {
  caa: caaAdvice,
  connection: (advised) => `check the firewall, and that ${reach(advised)}`,
  dns: () => 'point the A or AAAA record of the domain to this server',
  incorrectResponse: elsewhere,
  tls: elsewhere,
  unauthorized: elsewhere,
};

const requestAdvice: Readonly<Record<string, Advice>> = {
  accountDoesNotExist: () => 'delete account.pem in DATA_DIR/acme and restart, to create another account',
  caa: caaAdvice,
  externalAccountRequired: () =>
    'choose another ACME_DIRECTORY: this one requires an account at its website (external account binding), which is not supported',
  invalidContact: contact,
  rateLimited: () => 'the certificate authority limits its orders; restarts do not help',
  rejectedIdentifier: domain,
  serverInternal: authority,
  unauthorized: () =>
    'the account may be deactivated; delete account.pem in DATA_DIR/acme and restart, to create another one',
  unsupportedContact: contact,
  unsupportedIdentifier: domain,
  userActionRequired: () => 'agree to the new terms of service of the certificate authority',
  unusable: authority,
  timeout: authority,
  'not-acme': () => 'check that ACME_DIRECTORY is the URL of an ACME directory, unless it worked before',
};

const networkAdvice: Readonly<Record<OutboundFailure, Advice>> = {
  blocked: () => 'correct ACME_DIRECTORY',
  own: () => 'correct ACME_DIRECTORY',
  unresolved: () => 'check ACME_DIRECTORY and the name servers of this machine',
  unreachable: () => 'check ACME_DIRECTORY, and that this server may open connections to it',
  certificate: () =>
    'check ACME_DIRECTORY and the system clock; for a private certificate authority, set NODE_EXTRA_CA_CERTS to the file of its root certificate',
  timeout: () => 'check ACME_DIRECTORY, and that this server may open connections to it',
  too_large: () => 'check that ACME_DIRECTORY is the URL of an ACME directory',
  overloaded: () => 'raise the limit of open files',
};

const advice: Readonly<Record<Step, Readonly<Record<string, Advice>>>> = {
  challenge: challengeAdvice,
  request: requestAdvice,
  network: networkAdvice,
};

/** Advice to the operator; null if none is known. */
export function adviceOf({ step, reason }: AcmeFailure, advised: Advised): string | null {
  const table = advice[step];
  return (Object.hasOwn(table, reason) ? table[reason]?.(advised) : null) ?? null;
}
