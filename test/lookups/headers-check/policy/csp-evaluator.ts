/**
 * What a browser permits under a list of Content-Security-Policies, written for the tests from the specification: CSP Level 3 (parsing §2.2,
 * directives §6, matching §6.7, inline §6.7.3), and X-Frame-Options of HTML §7.4.5. It shares no code with the grade.
 */

type Policy = ReadonlyMap<string, readonly string[]>;

/** §2.2.2: a comma separates policies, and of equal directives the first one counts. */
export function parsePolicies(header: string | undefined): Policy[] {
  return (header ?? '')
    .split(',')
    .map((text) => {
      const policy = new Map<string, string[]>();
      for (const directive of text.split(';')) {
        const [name = '', ...values] = directive.trim().split(/[\t\n\f\r ]+/);
        const key = name.toLowerCase();
        if (key !== '' && !policy.has(key))
          policy.set(
            key,
            values.filter((value) => value !== ''),
          );
      }
      return policy;
    })
    .filter(({ size }) => size > 0);
}

/** §6.8.3: the directives that apply to a kind of request, the first that exists. */
const fallbacks = {
  script: ['script-src-elem', 'script-src', 'default-src'],
  style: ['style-src-elem', 'style-src', 'default-src'],
  image: ['img-src', 'default-src'],
  font: ['font-src', 'default-src'],
  media: ['media-src', 'default-src'],
  object: ['object-src', 'default-src'],
  manifest: ['manifest-src', 'default-src'],
  connect: ['connect-src', 'default-src'],
  frame: ['frame-src', 'child-src', 'default-src'],
  worker: ['worker-src', 'child-src', 'script-src', 'default-src'],
  form: ['form-action'],
  base: ['base-uri'],
} as const;
export type RequestKind = keyof typeof fallbacks;
export const requestKinds = Object.keys(fallbacks) as RequestKind[];

const listOf = (policy: Policy, names: readonly string[]): readonly string[] | undefined =>
  names.map((name) => policy.get(name)).find((list) => list !== undefined);

const isKeyword = (source: string, keyword: string): boolean => source.toLowerCase() === `'${keyword}'`;
const has = (list: readonly string[], keyword: string): boolean => list.some((source) => isKeyword(source, keyword));

/** §2.3.1: `nonce-source` and `hash-source`. */
const nonceIn = (source: string): string | undefined => /^'nonce-([a-z\d+/_-]+={0,2})'$/i.exec(source)?.[1];
const isHash = (source: string): boolean => /^'sha(?:256|384|512)-[a-z\d+/_-]+={0,2}'$/i.test(source);

/** Whether every policy permits a request of the page at `self`; `nonce` is that of its element, which the parser inserted. */
export const permitsRequest = (
  policies: readonly Policy[],
  self: string,
  request: { readonly kind: RequestKind; readonly url: string; readonly nonce?: string },
): boolean =>
  policies.every((policy) => {
    const list = listOf(policy, fallbacks[request.kind]);
    if (list === undefined) return true;
    const isScript = request.kind === 'script';
    // §6.7.1.1 and §6.7.1.2
    if (
      request.nonce !== undefined &&
      (isScript || request.kind === 'style') &&
      list.some((each) => nonceIn(each) === request.nonce)
    )
      return true;
    if (isScript && has(list, 'strict-dynamic')) return false;
    return list.some((source) => matchesUrl(source, new URL(request.url), new URL(self)));
  });

const inlineNames = {
  script: fallbacks.script,
  handler: ['script-src-attr', 'script-src', 'default-src'],
  style: fallbacks.style,
  styleAttribute: ['style-src-attr', 'style-src', 'default-src'],
} as const;
export type InlineKind = keyof typeof inlineNames;
export const inlineKinds = Object.keys(inlineNames) as InlineKind[];

/** §6.7.3.3: whether every policy permits code in the page. */
export const permitsInline = (policies: readonly Policy[], kind: InlineKind, nonce?: string): boolean =>
  policies.every((policy) => {
    const list = listOf(policy, inlineNames[kind]);
    if (list === undefined) return true;
    const isElement = kind === 'script' || kind === 'style';
    if (isElement && nonce !== undefined && list.some((each) => nonceIn(each) === nonce)) return true;
    // §6.7.3.2
    const isScript = kind === 'script' || kind === 'handler';
    const isIgnored =
      list.some((source) => nonceIn(source) !== undefined || isHash(source)) ||
      (isScript && has(list, 'strict-dynamic'));
    return has(list, 'unsafe-inline') && !isIgnored;
  });

/** §4.4: strings as code. */
export const permitsEval = (policies: readonly Policy[]): boolean =>
  policies.every((policy) => {
    const list = listOf(policy, ['script-src', 'default-src']);
    return list === undefined || has(list, 'unsafe-eval');
  });

/** §6.4.2 and HTML §7.4.5: whether the page at `self` may be in a frame of a page at `ancestor`. */
export function permitsFraming(
  policies: readonly Policy[],
  options: string | undefined,
  self: string,
  ancestor: string,
): boolean {
  const lists = policies.map((policy) => policy.get('frame-ancestors')).filter((list) => list !== undefined);
  if (lists.length > 0)
    return lists.every((list) => list.some((source) => matchesUrl(source, new URL(ancestor), new URL(self))));
  const values = new Set((options ?? '').split(',').map((value) => value.trim().toLowerCase()));
  if (values.size > 1) return !['deny', 'allowall', 'sameorigin'].some((known) => values.has(known));
  if (values.has('deny')) return false;
  return !values.has('sameorigin') || new URL(ancestor).origin === new URL(self).origin;
}

const portOf = ({ protocol, port }: URL): string =>
  port || ({ 'http:': '80', 'ws:': '80', 'https:': '443', 'wss:': '443' }[protocol] ?? '');

/** §6.7.2.8: whether a URL matches a source expression of a page at `self`. */
function matchesUrl(source: string, url: URL, self: URL): boolean {
  const isNetwork = ['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol);
  if (source === '*') return isNetwork || url.protocol === self.protocol;
  const [, scheme] = /^([a-z][a-z\d+.-]*):$/i.exec(source) ?? [];
  if (scheme !== undefined) return matchesScheme(scheme.toLowerCase(), url);
  if (isKeyword(source, 'self')) {
    if (url.protocol === self.protocol && url.host === self.host) return true;
    const isDefaultPort = portOf(self) === portOf(url) || (self.port === '' && url.port === '');
    const isUpgrade =
      ['https:', 'wss:'].includes(url.protocol) || (self.protocol === 'http:' && url.protocol === 'ws:');
    return self.hostname === url.hostname && isDefaultPort && isUpgrade;
  }
  const parts =
    /^(?:([a-z][a-z\d+.-]*):\/\/)?(\*|(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)*)(?::(\d+|\*))?(\/[^?#;,]*)?$/i.exec(source);
  if (parts === null) return false;
  const [, ownScheme, host = '', port, path = ''] = parts;
  if (!matchesScheme(ownScheme?.toLowerCase() ?? self.protocol.slice(0, -1), url)) return false;
  if (!matchesHost(host.toLowerCase(), url.hostname) || !matchesPort(port, url)) return false;
  return matchesPath(path, url.pathname);
}

/** §6.7.2.9 */
function matchesScheme(scheme: string, url: URL): boolean {
  const given = url.protocol.slice(0, -1);
  if (scheme === given) return true;
  const upgrades: Readonly<Record<string, readonly string[]>> = {
    http: ['https'],
    ws: ['wss', 'http', 'https'],
    wss: ['https'],
  };
  return upgrades[scheme]?.includes(given) ?? false;
}

const matchesHost = (pattern: string, host: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern);

/** §6.7.2.11 */
function matchesPort(pattern: string | undefined, url: URL): boolean {
  if (pattern === '*') return true;
  const isDefault = url.port === '';
  if (pattern === undefined) return isDefault;
  return pattern === portOf(url) || (pattern === '80' && portOf(url) === '443');
}

/** §6.7.2.12 */
function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '' || (pattern === '/' && path === '/')) return true;
  const isExact = !pattern.endsWith('/');
  return isExact
    ? decodeURIComponent(pattern) === decodeURIComponent(path)
    : path.startsWith(decodeURIComponent(pattern));
}
