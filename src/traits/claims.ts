/** Claims of a set of request headers about its sender, parsed once for all rules of check_headers. */
import { clientHints } from '../client/client-hints.ts';
import { systemOf } from '../client/system.ts';
import { userAgent } from '../client/user-agent.ts';
import type { ObservedHandshake } from '../core/observed.ts';
import { engineOf, isOwnTemplate, readSyntax, versionOf } from './engine.ts';

/** A set of headers to check. Values that were not observed are null, as with headers passed as an object. */
export interface HeaderSubject {
  /** Lower-case names, without the headers that our edge adds. */
  headers: Readonly<Record<string, string>>;
  /** Whether these are the headers of the tool call itself. */
  own: boolean;
  https: boolean | null;
  /** Null also if the edge removes `TE`, which is a hop-by-hop header. */
  http2: boolean | null;
  /** Connecting IP address. */
  ip: string | null;
  nowMs: number;
  /** First bytes of the connection: TCP, TLS and HTTP/2. */
  handshake: ObservedHandshake | null;
}

export type HeaderClaims = ReturnType<typeof headerClaims>;

/** Longer than any browser's User-Agent; the rest is ignored. */
const maxLength = 1024;

/** Parses what a set of headers claims. */
export function headerClaims(subject: HeaderSubject) {
  const { headers } = subject;
  const raw = headers['user-agent'] ?? '';
  // From the User-Agent only: the rules compare it with the hints.
  const agent = userAgent({ 'user-agent': raw });
  const text = raw.slice(0, maxLength);
  const syntax = readSyntax(text);
  const { products } = syntax;
  const firstComment = syntax.comments[0] ?? '';
  const system = systemOf(firstComment);
  const engine = engineOf(agent.engine, system);
  const version = engine === null ? null : versionOf(engine, products);
  return {
    ...subject,
    https: subject.https ?? impliedHttps(headers),
    agent,
    /** Whether the User-Agent names a browser, headless ones included. */
    isBrowser: agent.kind === 'browser' || agent.kind === 'headless-browser',
    hints: clientHints(headers),
    /** Always webkit on iOS; null if the User-Agent names none of the three. */
    engine,
    /** From the `Chrome/`, `Firefox/` or `Version/` token. */
    version,
    major: version === null ? null : Number.parseInt(version, 10),
    system,
    /** First comment of the User-Agent. */
    firstComment,
    products,
    /** Whether the User-Agent is only a browser's template, so the headers of that browser can be expected. */
    isPlain: engine !== null && isOwnTemplate(engine, syntax),
    /** Whether it is a television, console, watch or headset, whose browsers send different headers. */
    isAppliance:
      appliances.has(agent.device.type) || products.has('OculusBrowser') || /\bVR\b|\bTizen\b|Web0S/.test(text),
    /** Whether it is a WebSocket handshake, CORS preflight, report or service worker script: requests with fewer headers. */
    isSpecial: isSpecial(headers),
  };
}

const appliances: ReadonlySet<string> = new Set(['smarttv', 'console', 'wearable', 'xr', 'embedded']);

/** Fetch Metadata and Client Hints are sent only to trustworthy URLs, so their presence implies HTTPS. */
function impliedHttps(headers: Readonly<Record<string, string>>): boolean | null {
  if (Object.keys(headers).some((name) => name.startsWith('sec-fetch-') || name.startsWith('sec-ch-'))) return true;
  const scheme = (headers[':scheme'] ?? headers['x-forwarded-proto'] ?? '').split(',', 1)[0]?.trim().toLowerCase();
  return scheme === 'https' ? true : scheme === 'http' ? false : null;
}

const specialNames = ['sec-websocket-version', 'sec-websocket-key', 'access-control-request-method', 'service-worker'];

const isSpecial = (headers: HeaderSubject['headers']): boolean =>
  specialNames.some((name) => headers[name] !== undefined) ||
  headers['sec-fetch-mode'] === 'websocket' ||
  /^websocket$/i.test(headers.upgrade ?? '') ||
  /^application\/(?:reports\+json|csp-report)/i.test(headers['content-type'] ?? '');
