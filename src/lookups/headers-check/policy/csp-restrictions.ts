/** Restricts policies: what lets injected scripts run is removed, and what the site's own origin may load is kept. */
import { broad, isNonceOrHash } from './content-security-policy.ts';
import type { PolicyDirective } from './csp-syntax.ts';
import { isInvalidNonceOrHash } from './enforced-policy.ts';

export type Directives = readonly PolicyDirective[];

/** What restricted policies block that the given ones permit. */
export interface Effects {
  /** In the page itself. */
  readonly ofPage: Set<string>;
  readonly ofOthers: Set<string>;
}

const inline = 'inline scripts and event handlers';
const evaluated = 'eval';
const dataScripts = 'scripts in data: URLs';
const scriptsOfOthers = 'scripts of other hosts';
const pluginsOfOthers = 'plugins (object, embed) of other hosts';
const plainHttp = 'content over plain HTTP';

const is = (wanted: string) => (source: string) => source.toLowerCase() === wanted;
const isEval = is("'unsafe-eval'");
const isInline = is("'unsafe-inline'");
const isDynamic = is("'strict-dynamic'");
const isData = is('data:');
const isBroad = (source: string): boolean => broad.has(source.toLowerCase());

const sourcesOf = (directives: Directives, name: string): readonly string[] | undefined =>
  directives.find((directive) => directive.name === name)?.sources;

/** The sources of a directive or, if it is absent, those of `default-src`. */
const effectiveSourcesOf = (directives: Directives, name: string): readonly string[] | undefined =>
  sourcesOf(directives, name) ?? sourcesOf(directives, 'default-src');

export function restrictPolicies(policies: readonly Directives[], isHttps: boolean, effects: Effects): Directives[] {
  const restricted = policies.map((directives) => restrict(withoutHttp(directives, isHttps, effects), effects));
  const isFree = (name: string): boolean =>
    restricted.every((directives) => effectiveSourcesOf(directives, name) === undefined);
  // What no policy restricts, the first one has to.
  const added: PolicyDirective[] = [];
  if (isFree('script-src')) {
    for (const each of [inline, evaluated, dataScripts]) effects.ofPage.add(each);
    effects.ofOthers.add(scriptsOfOthers);
    added.push({ name: 'script-src', sources: ["'self'"] });
  }
  if (isFree('object-src')) {
    effects.ofOthers.add(`${pluginsOfOthers} and data: URLs`);
    added.push({ name: 'object-src', sources: ["'self'", 'blob:'] });
  }
  return restricted.map((directives, at) => (at === 0 ? [...directives, ...added] : directives));
}

/** A list that becomes empty allows nothing; a directive without sources stays as it is. */
function changeSources(directives: Directives, change: (name: string, sources: string[]) => string[]): Directives {
  return directives.map(({ name, sources }) => {
    const changed = change(name, sources);
    return { name, sources: changed.length === 0 && sources.length > 0 ? ["'none'"] : changed };
  });
}

/**
 * http: also matches https:. A page over plain HTTP needs both: there, a host without a scheme matches both, and so does `*`. Browsers no
 * longer load anything over FTP.
 */
function withoutHttp(directives: Directives, isHttps: boolean, { ofOthers }: Effects): Directives {
  const secure = (name: string, source: string): string => {
    const [, rest] = /^http:(?:\/\/(?=.)|$)(.*)$/i.exec(source) ?? [];
    if (rest === undefined) return source;
    if (name === 'report-uri') return `https://${rest}`;
    if (!isHttps) return rest === '' ? '*' : rest;
    ofOthers.add(plainHttp);
    return rest === '' ? 'https:' : `https://${rest.replace(/^([^/]*):80(?=\/|$)/, '$1')}`;
  };
  return changeSources(directives, (name, sources) => {
    const kept = sources.filter((source) => !/^ftp:/i.test(source));
    // Once, if the policy has the source with both schemes.
    return [...new Set(kept.map((source) => secure(name, source)))];
  });
}

/** Directives that the policy lacks are added only in place of its `default-src`. */
function restrict(given: Directives, effects: Effects): Directives {
  if (effectiveSourcesOf(given, 'script-src')?.some(isEval)) effects.ofPage.add(evaluated);
  const directives = changeSources(given, (_, sources) => sources.filter((source) => !isEval(source)));
  const replaced = new Map<string, string[]>();
  const replace = (name: string, sources: readonly string[] | undefined, change: Restriction): void => {
    const changed = sources && change(sources, effects);
    if (changed !== undefined && changed !== sources) replaced.set(name, [...changed]);
  };
  replace('script-src', effectiveSourcesOf(directives, 'script-src'), restrictScripts);
  replace('script-src-elem', sourcesOf(directives, 'script-src-elem'), restrictScripts);
  replace('script-src-attr', sourcesOf(directives, 'script-src-attr'), restrictHandlers);
  replace('object-src', effectiveSourcesOf(directives, 'object-src'), restrictPlugins);
  return [
    ...directives.map(({ name, sources }) => ({ name, sources: replaced.get(name) ?? sources })),
    ...[...replaced]
      .filter(([name]) => sourcesOf(directives, name) === undefined)
      .map(([name, sources]) => ({ name, sources })),
  ];
}

/** Returns the same list if it is restricted enough. */
type Restriction = (sources: readonly string[], effects: Effects) => readonly string[];

const hasValidNonceOrHash = (sources: readonly string[]): boolean =>
  sources.some((source) => isNonceOrHash(source) && !isInvalidNonceOrHash(source));

/**
 * Next to a nonce or hash, browsers ignore 'unsafe-inline', and next to 'strict-dynamic' also hosts: old browsers need them. Without one,
 * 'strict-dynamic' only blocks scripts.
 */
const restrictScripts: Restriction = (sources, { ofPage, ofOthers }) => {
  const hasNonce = hasValidNonceOrHash(sources);
  if (hasNonce && sources.some(isDynamic)) return sources;
  const dropped = sources.filter(
    (source) => isBroad(source) || isData(source) || isDynamic(source) || (isInline(source) && !hasNonce),
  );
  if (dropped.length === 0) return sources;
  if (dropped.some(isInline)) ofPage.add(inline);
  if (dropped.some(isData)) ofPage.add(dataScripts);
  if (dropped.some(isBroad)) ofOthers.add(scriptsOfOthers);
  const kept = sources.filter((source) => !dropped.includes(source));
  return dropped.some(isBroad) || kept.length === 0 ? [...new Set(["'self'", ...kept])] : kept;
};

/** Only keywords and hashes apply to event handlers. */
const restrictHandlers: Restriction = (sources, { ofPage }) => {
  if (hasValidNonceOrHash(sources) || !sources.some((each) => isInline(each) || isBroad(each) || isData(each)))
    return sources;
  if (sources.some(isInline)) ofPage.add(inline);
  return ["'none'"];
};

const restrictPlugins: Restriction = (sources, { ofOthers }) => {
  if (!sources.some(isBroad)) return sources;
  ofOthers.add(pluginsOfOthers);
  return [...new Set(["'self'", ...sources.filter((source) => !isBroad(source) && !isInline(source))])];
};
