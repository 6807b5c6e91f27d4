/** What a set of request headers claims of its sender, read once for all the rules of check_headers. */
import { type ClientHints, clientHints } from './client-hints.ts';
import { userAgent } from './user-agent.ts';
import type { UserAgent } from './user-agent-schema.ts';

/** One set of headers to judge. What was not observed, as with headers given as an object, is null. */
export interface HeaderSubject {
  /** Lower-case names, without what our own edge adds to a request. */
  headers: Readonly<Record<string, string>>;
  /** Whether these are the headers of the call itself. */
  own: boolean;
  https: boolean | null;
  /** Null also where the edge drops `TE`, which is a hop-by-hop header. */
  http2: boolean | null;
  /** The address that connected. */
  ip: string | null;
  nowMs: number;
}

export type Engine = 'blink' | 'gecko' | 'webkit';
export type System = 'Windows' | 'macOS' | 'Linux' | 'Android' | 'Chrome OS' | 'iOS';

export interface HeaderClaims extends HeaderSubject {
  /** By the User-Agent alone: the hints are what it is compared with. */
  agent: UserAgent;
  hints: ClientHints;
  /** On iOS always webkit; null when the User-Agent names none of the three. */
  engine: Engine | null;
  /** Of `Chrome/`, `Firefox/` or Safari's `Version/`. */
  version: string | null;
  major: number | null;
  system: System | null;
  /** The first comment of the User-Agent. */
  platform: string;
  products: ReadonlyMap<string, string>;
  /** The User-Agent is a browser's template and nothing else, so what that browser sends may be expected. */
  plain: boolean;
  /** Televisions, consoles, watches, headsets: browsers with headers of their own. */
  appliance: boolean;
  /** WebSocket handshake, CORS preflight, report or service worker script: requests with fewer headers. */
  special: boolean;
}

/** Longer than any browser's; what follows is not read. */
const maxLength = 1024;

export function headerClaims(subject: HeaderSubject): HeaderClaims {
  const { headers } = subject;
  const raw = headers['user-agent'] ?? '';
  const agent = userAgent({ 'user-agent': raw });
  const { comments, products } = parts(raw.slice(0, maxLength));
  const platform = comments[0] ?? '';
  const system = systemOf(platform);
  const engine = engineOf(products, system);
  const version = engine === null ? null : versionOf(engine, products);
  return {
    ...subject,
    https: subject.https ?? impliedHttps(headers),
    agent,
    hints: clientHints(headers),
    engine,
    version,
    major: version === null ? null : Number.parseInt(version, 10),
    system,
    platform,
    products,
    plain: engine !== null && isPlain(engine, system, platform, comments.length, products),
    appliance:
      appliances.has(agent.device.type) ||
      products.has('OculusBrowser') ||
      /\bVR\b|\bTizen\b|Web0S/.test(raw.slice(0, maxLength)),
    special: isSpecial(headers),
  };
}

const appliances: ReadonlySet<string> = new Set(['smarttv', 'console', 'wearable', 'xr', 'embedded']);

/** RFC 9110 §10.1.5: products and comments. Each alternative begins with another character, so this takes linear time. */
function parts(raw: string): { comments: string[]; products: Map<string, string> } {
  const comments: string[] = [];
  const products = new Map<string, string>();
  for (const [, comment, name, version] of raw.matchAll(/\(([^()]*)\)|([^\s()/]+)(?:\/([^\s()]*))?/g)) {
    if (comment !== undefined) comments.push(comment);
    else if (name !== undefined && !products.has(name)) products.set(name, version ?? '');
  }
  return { comments, products };
}

/** First match decides: Android names Linux, and iOS names Mac OS X. */
const systems: readonly (readonly [token: RegExp, system: System | null])[] = [
  [/Windows Phone|Tizen|Web0S|KAIOS/, null],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Macintosh/, 'macOS'],
  [/Windows/, 'Windows'],
  [/\bCrOS\b/, 'Chrome OS'],
  [/Android/, 'Android'],
  [/Linux/, 'Linux'],
];

const systemOf = (platform: string) => systems.find(([token]) => token.test(platform))?.[1] ?? null;

const chromiumProducts = ['Chrome', 'HeadlessChrome', 'Chromium'] as const;

function engineOf(products: ReadonlyMap<string, string>, system: System | null): Engine | null {
  const webKit = products.get('AppleWebKit');
  if (system === 'iOS') return webKit === undefined ? null : 'webkit';
  if (products.has('Firefox') && products.has('Gecko')) return 'gecko';
  // Chromium froze its WebKit version at 537.36; some televisions have that and no `Chrome/`.
  if (chromiumProducts.some((name) => products.has(name)) || webKit === '537.36') return 'blink';
  return webKit === undefined ? null : 'webkit';
}

function versionOf(engine: Engine, products: ReadonlyMap<string, string>): string | null {
  const names = engine === 'blink' ? chromiumProducts : engine === 'gecko' ? ['Firefox'] : ['Version'];
  const version = names.map((name) => products.get(name)).find((found) => found !== undefined);
  return version !== undefined && /^\d{1,4}(?:\.|$)/.test(version) ? version : null;
}

/** Products of a User-Agent that is a template and nothing else, and how many comments it has. */
const templates: Record<Engine, { products: ReadonlySet<string>; comments: number }> = {
  blink: {
    products: new Set([
      'Mozilla',
      'AppleWebKit',
      'Chrome',
      'HeadlessChrome',
      'Mobile',
      'Safari',
      'Edg',
      'EdgA',
      'OPR',
      'Vivaldi',
    ]),
    comments: 2,
  },
  gecko: { products: new Set(['Mozilla', 'Gecko', 'Firefox']), comments: 1 },
  webkit: { products: new Set(['Mozilla', 'AppleWebKit', 'Version', 'Mobile', 'Safari']), comments: 2 },
};

function isPlain(
  engine: Engine,
  system: System | null,
  platform: string,
  comments: number,
  products: ReadonlyMap<string, string>,
): boolean {
  const template = templates[engine];
  if (comments !== template.comments || ![...products.keys()].every((name) => template.products.has(name)))
    return false;
  if (engine === 'webkit') return products.has('Version') && products.has('Safari');
  if (engine === 'gecko') return true;
  // WebViews say wv or name the build. Opera for Android puts pages through more than one engine.
  return (
    products.has('Safari') && !/\bBuild\/|; ?wv\b/.test(platform) && !(system === 'Android' && products.has('OPR'))
  );
}

/** Fetch Metadata and Client Hints go to trustworthy URLs only, so their presence says HTTPS. */
function impliedHttps(headers: Readonly<Record<string, string>>): boolean | null {
  if (Object.keys(headers).some((name) => name.startsWith('sec-fetch-') || name.startsWith('sec-ch-'))) return true;
  const scheme = (headers[':scheme'] ?? headers['x-forwarded-proto'] ?? '').split(',', 1)[0]?.trim().toLowerCase();
  return scheme === 'https' ? true : scheme === 'http' ? false : null;
}

function isSpecial(headers: Readonly<Record<string, string>>): boolean {
  return (
    headers['sec-websocket-version'] !== undefined ||
    headers['sec-websocket-key'] !== undefined ||
    headers['sec-fetch-mode'] === 'websocket' ||
    /^websocket$/i.test(headers.upgrade ?? '') ||
    headers['access-control-request-method'] !== undefined ||
    headers['service-worker'] !== undefined ||
    /^application\/(?:reports\+json|csp-report)/i.test(headers['content-type'] ?? '')
  );
}
