/** The browser engine that a User-Agent names, and whether the User-Agent is only the template of that engine's own browsers. */
import type { System } from '../client/data/systems.ts';
import { systemOf } from '../client/system.ts';
import type { UserAgent } from '../client/user-agent-schema.ts';

export type Engine = 'blink' | 'gecko' | 'webkit';

const chromiumProducts = ['Chrome', 'HeadlessChrome', 'Chromium'] as const;

/** Engines of `client/` that send headers like one of the three: ArkWeb is built on Chromium. */
const engines: ReadonlyMap<string | null, Engine> = new Map([
  ['Blink', 'blink'],
  ['ArkWeb', 'blink'],
  ['Gecko', 'gecko'],
  ['WebKit', 'webkit'],
]);

/** Null for other engines. */
export function engineOf({ name, version }: UserAgent['engine'], system: System | null): Engine | null {
  const engine = engines.get(name) ?? null;
  if (engine !== null && system === 'iOS') return 'webkit';
  // Chromium's WebKit version is frozen at 537.36; some televisions send it without `Chrome/`.
  return name === 'WebKit' && version === '537.36' ? 'blink' : engine;
}

export function versionOf(engine: Engine, products: ReadonlyMap<string, string>): string | null {
  const names = engine === 'blink' ? chromiumProducts : engine === 'gecko' ? ['Firefox'] : ['Version'];
  const version = names.map((name) => products.get(name)).find((found) => found !== undefined);
  return version !== undefined && /^\d{1,4}(?:\.|$)/.test(version) ? version : null;
}

/** Products that an engine's own browsers state: Chrome, Edge, Opera and Vivaldi, Firefox, Safari. */
const engineProducts: Readonly<Record<Engine, readonly string[]>> = {
  blink: ['AppleWebKit', 'Chrome', 'Mobile', 'Safari', 'Edg', 'EdgA', 'OPR', 'Vivaldi'],
  gecko: ['Gecko', 'Firefox'],
  webkit: ['AppleWebKit', 'Version', 'Mobile', 'Safari'],
};

/**
 * Reads comments, and products with their versions (RFC 9110 §10.1.5). Each alternative starts with a different character, so this takes
 * linear time.
 */
export function readSyntax(raw: string) {
  const comments: string[] = [];
  const products = new Map<string, string>();
  for (const [, comment, name, version] of raw.matchAll(/\(([^()]*)\)|([^\s()/]+)(?:\/([^\s()]*))?/g)) {
    if (comment !== undefined) comments.push(comment);
    else if (name !== undefined && !products.has(name)) products.set(name, version ?? '');
  }
  return { comments, products };
}

/** Whether the User-Agent is only the template of an engine's own browser, headless or not, so that its headers can be expected. */
export function isOwnTemplate(engine: Engine, { comments, products }: ReturnType<typeof readSyntax>): boolean {
  const own = ['Mozilla', ...(engine === 'blink' ? ['HeadlessChrome'] : []), ...engineProducts[engine]];
  if (comments.length !== (engine === 'gecko' ? 1 : 2) || ![...products.keys()].every((name) => own.includes(name)))
    return false;
  if (engine === 'gecko') return true;
  if (engine === 'webkit') return products.has('Version') && products.has('Safari');
  // WebViews state wv or the build. Opera for Android renders pages with more than one engine.
  const [firstComment = ''] = comments;
  const isAndroidOpera = products.has('OPR') && systemOf(firstComment) === 'Android';
  return products.has('Safari') && !/\bBuild\/|; ?wv\b/.test(firstComment) && !isAndroidOpera;
}
