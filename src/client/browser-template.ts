/** The parts of a User-Agent, and whether they are those that an engine's own browsers state. */
import { systemOf } from './platform.ts';

export type Engine = 'blink' | 'gecko' | 'webkit';

/** Products that an engine's own browsers state: Chrome, Edge, Opera and Vivaldi, Firefox, Safari. */
const engineProducts: Readonly<Record<Engine, readonly string[]>> = {
  blink: ['AppleWebKit', 'Chrome', 'Mobile', 'Safari', 'Edg', 'EdgA', 'OPR', 'Vivaldi'],
  gecko: ['Gecko', 'Firefox'],
  webkit: ['AppleWebKit', 'Version', 'Mobile', 'Safari'],
};

/** The comments of a User-Agent, and its products with their versions. */
export interface Syntax {
  readonly comments: readonly string[];
  readonly products: ReadonlyMap<string, string>;
}

/** Reads products and comments (RFC 9110 §10.1.5). Each alternative starts with a different character, so this takes linear time. */
export function readSyntax(raw: string): Syntax {
  const comments: string[] = [];
  const products = new Map<string, string>();
  for (const [, comment, name, version] of raw.matchAll(/\(([^()]*)\)|([^\s()/]+)(?:\/([^\s()]*))?/g)) {
    if (comment !== undefined) comments.push(comment);
    else if (name !== undefined && !products.has(name)) products.set(name, version ?? '');
  }
  return { comments, products };
}

/** Whether the User-Agent is only the template of an engine's own browser, headless or not, so that its headers can be expected. */
export function isOwnTemplate(engine: Engine, { comments, products }: Syntax): boolean {
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
