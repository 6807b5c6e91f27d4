/** Claims of a set of request headers about its sender, parsed once for all rules of check_headers. */
import { clientHints } from '../client/client-hints.ts';
import { type System, systemOf } from '../client/platform.ts';
import { userAgent } from '../client/user-agent.ts';
import type { ObservedHandshake } from '../core/observed.ts';

export type Engine = 'blink' | 'gecko' | 'webkit';

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
  const syntax = readSyntax(raw.slice(0, maxLength));
  const { products } = syntax;
  const platform = syntax.comments[0] ?? '';
  const system = systemOf(platform);
  const engine = engineOf(products, system);
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
    platform,
    products,
    /** Whether the User-Agent is only a browser's template, so the headers of that browser can be expected. */
    isPlain: engine !== null && isOwnTemplate(engine, syntax),
    /** Whether it is a television, console, watch or headset, whose browsers send different headers. */
    isAppliance:
      appliances.has(agent.device.type) ||
      products.has('OculusBrowser') ||
      /\bVR\b|\bTizen\b|Web0S/.test(raw.slice(0, maxLength)),
    /** Whether it is a WebSocket handshake, CORS preflight, report or service worker script: requests with fewer headers. */
    isSpecial: isSpecial(headers),
  };
}

const appliances: ReadonlySet<string> = new Set(['smarttv', 'console', 'wearable', 'xr', 'embedded']);

const chromiumProducts = ['Chrome', 'HeadlessChrome', 'Chromium'] as const;

function engineOf(products: ReadonlyMap<string, string>, system: System | null): Engine | null {
  const webKit = products.get('AppleWebKit');
  if (system === 'iOS') return webKit === undefined ? null : 'webkit';
  if (products.has('Firefox') && products.has('Gecko')) return 'gecko';
  // Chromium's WebKit version is frozen at 537.36; some televisions send it without `Chrome/`.
  if (chromiumProducts.some((name) => products.has(name)) || webKit === '537.36') return 'blink';
  return webKit === undefined ? null : 'webkit';
}

function versionOf(engine: Engine, products: ReadonlyMap<string, string>): string | null {
  const names = engine === 'blink' ? chromiumProducts : engine === 'gecko' ? ['Firefox'] : ['Version'];
  const version = names.map((name) => products.get(name)).find((found) => found !== undefined);
  return version !== undefined && /^\d{1,4}(?:\.|$)/.test(version) ? version : null;
}

/** Fetch Metadata and Client Hints are sent only to trustworthy URLs, so their presence implies HTTPS. */
function impliedHttps(headers: Readonly<Record<string, string>>): boolean | null {
  if (Object.keys(headers).some((name) => name.startsWith('sec-fetch-') || name.startsWith('sec-ch-'))) return true;
  const scheme = (headers[':scheme'] ?? headers['x-forwarded-proto'] ?? '').split(',', 1)[0]?.trim().toLowerCase();
  return scheme === 'https' ? true : scheme === 'http' ? false : null;
}

const specialHeaders = 'sec-websocket-version sec-websocket-key access-control-request-method service-worker'.split(
  ' ',
);

function isSpecial(headers: Readonly<Record<string, string>>): boolean {
  return (
    specialHeaders.some((name) => headers[name] !== undefined) ||
    headers['sec-fetch-mode'] === 'websocket' ||
    /^websocket$/i.test(headers.upgrade ?? '') ||
    /^application\/(?:reports\+json|csp-report)/i.test(headers['content-type'] ?? '')
  );
}

/** Products that an engine's own browsers state: Chrome, Edge, Opera and Vivaldi, Firefox, Safari. */
const engineProducts: Readonly<Record<Engine, readonly string[]>> = {
  blink: ['AppleWebKit', 'Chrome', 'Mobile', 'Safari', 'Edg', 'EdgA', 'OPR', 'Vivaldi'],
  gecko: ['Gecko', 'Firefox'],
  webkit: ['AppleWebKit', 'Version', 'Mobile', 'Safari'],
};

/** Reads comments, and products with their versions (RFC 9110 §10.1.5). Each alternative starts with a different character, so this takes linear time. */
function readSyntax(raw: string) {
  const comments: string[] = [];
  const products = new Map<string, string>();
  for (const [, comment, name, version] of raw.matchAll(/\(([^()]*)\)|([^\s()/]+)(?:\/([^\s()]*))?/g)) {
    if (comment !== undefined) comments.push(comment);
    else if (name !== undefined && !products.has(name)) products.set(name, version ?? '');
  }
  return { comments, products };
}

/** Whether the User-Agent is only the template of an engine's own browser, headless or not, so that its headers can be expected. */
function isOwnTemplate(engine: Engine, { comments, products }: ReturnType<typeof readSyntax>): boolean {
  const own = ['Mozilla', ...(engine === 'blink' ? ['HeadlessChrome'] : []), ...engineProducts[engine]];
  if (comments.length !== (engine === 'gecko' ? 1 : 2) || ![...products.keys()].every((name) => own.includes(name)))
    return false;
  if (engine === 'gecko') return true;
  if (engine === 'webkit') return products.has('Version') && products.has('Safari');
  // WebViews state wv or the build. Opera for Android renders pages with more than one engine.
  const [platform = ''] = comments;
  const isAndroidOpera = products.has('OPR') && systemOf(platform) === 'Android';
  return products.has('Safari') && !/\bBuild\/|; ?wv\b/.test(platform) && !isAndroidOpera;
}
