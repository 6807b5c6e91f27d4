/** Rules about what only Firefox sends. */
import type { HeaderClaims } from './claims.ts';
import type { Inapplicable } from './data/sentences.ts';
import { findingIf, type RuleFunctions, ruleWith } from './rule.ts';

/** Earlier versions have other rules for `rv:`. https://bugzilla.mozilla.org/show_bug.cgi?id=1805967 */
const rvRuleSince = 110;

function firefoxMajor({ engine, isPlain, major }: HeaderClaims): number | Inapplicable {
  if (engine !== 'gecko') return 'onlyFirefox';
  if (!isPlain) return 'ownUserAgent';
  return major === null || major < rvRuleSince ? 'beforeSupport' : major;
}

export const firefoxRules = {
  'firefox-rv-differs': ruleWith(firefoxMajor, (major, { firstComment }) => {
    const rv = /\brv:(\d{1,4})\./.exec(firstComment)?.[1];
    // Firefox 110 to 119 sent rv:109.0, because sites took rv:11 for Internet Explorer.
    const expected = major < 120 ? 109 : major;
    if (Number(rv) === expected) return null;
    return { headers: ['user-agent'], values: { major: String(major), rv: String(expected) } };
  }),
  'firefox-gecko-token': ruleWith(firefoxMajor, (_, { system, products }) => {
    // Firefox for Android sends its version here.
    if (system === 'Android') return 'onlyFirefoxDesktop';
    return findingIf(products.get('Gecko') !== '20100101', 'user-agent');
  }),
  'firefox-trailers-missing': ruleWith(firefoxMajor, (_, { http2, headers }) => {
    if (http2 !== true) return 'onlyHttp2';
    return findingIf(!/\btrailers\b/i.test(headers.te ?? ''), 'user-agent', 'te');
  }),
} satisfies RuleFunctions;
