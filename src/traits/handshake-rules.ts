/** Rules that compare the TLS handshake, the opening of HTTP/2 and HTTP/3, and the order of headers with the browser in the User-Agent. */

import { akamai } from '../client/fingerprint/akamai.ts';
import { parseWholeClientHello } from '../client/fingerprint/client-hello.ts';
import { type Family, hostFirst, http2Traits, http3Traits, tlsTraits } from '../client/fingerprint/data/families.ts';
import { parseHttp2Preface, pseudoHeadersOf } from '../client/fingerprint/http2.ts';
import { parseHttp3Frames, stableHttp3Text } from '../client/fingerprint/http3.ts';
import { ja4 } from '../client/fingerprint/ja4.ts';
import type { HeaderClaims } from './claims.ts';
import type { Engine } from './engine.ts';
import { type Outcome, type RuleFunctions, ruleWith } from './rule.ts';

const families: Readonly<Record<Engine, Family>> = { blink: 'Chromium', gecko: 'Firefox', webkit: 'Safari' };

/** The client family that the User-Agent claims, or the reason why the fingerprint cannot be compared with it. */
function claimedFamily({ engine, system, isPlain, isAppliance, isSpecial, headers, handshake }: HeaderClaims) {
  if (handshake === null) return 'noHandshake';
  if (isAppliance) return 'appliance';
  if (isSpecial) return 'special';
  // WebKit has Apple's TLS library only on Apple's systems.
  const isOther = engine === 'webkit' && system !== 'macOS' && system !== 'iOS';
  if (engine === null || !isPlain || isOther) return 'ownUserAgent';
  if (proxyHeaders.some((name) => headers[name] !== undefined)) return 'proxied';
  return { family: families[engine], handshake };
}

/** Headers of intermediaries, which may have opened a connection of their own. */
const proxyHeaders = ['via', 'forwarded', 'x-forwarded-for', 'proxy-connection', 'x-bluecoat-via', 'x-imforwards'];

/** A finding if other families, and not the claimed one, have these traits; nothing is found if no family is known to have them. */
function findingOf(claimed: Family, traits: readonly { readonly family: Family }[]): Outcome {
  const observed = traits.map(({ family }) => family);
  if (observed.length === 0 || observed.includes(claimed)) return null;
  return { headers: ['user-agent'], values: { claimed, observed: observed.join(' or ') } };
}

function traitsOfJa4(code: string) {
  const [start = '', ciphers, extensions] = code.split('_');
  return tlsTraits
    .filter((trait) => trait.ciphers === ciphers && trait.alpn.includes(start.slice(-2)))
    .filter((trait) => trait.extensions === undefined || trait.extensions === extensions);
}

const traitsOfAkamai = (text: string) => http2Traits.filter(({ akamai }) => akamai === text);
const traitsOfHttp3 = (stableText: string) => http3Traits.filter(({ text }) => text === stableText);

export const handshakeRules = {
  'tls-client-differs': ruleWith(claimedFamily, ({ family, handshake }) => {
    const hello = handshake.clientHello && parseWholeClientHello(handshake.clientHello);
    const code = hello === null ? handshake.ja4 : ja4(hello, handshake.quic === null ? 't' : 'q').ja4;
    return code === null ? 'noHandshake' : findingOf(family, traitsOfJa4(code));
  }),
  'http-client-differs': ruleWith(
    claimedFamily,
    ({ family, handshake: { http2Frames, http3Frames, headerFields } }) => {
      if (headerFields === null) return 'noHandshake';
      const preface = http2Frames && parseHttp2Preface(http2Frames);
      const http3 = http3Frames && parseHttp3Frames(http3Frames);
      const pseudoHeaders = pseudoHeadersOf(headerFields);
      if (preface !== null) return findingOf(family, traitsOfAkamai(akamai(preface, pseudoHeaders).text));
      return http3 === null ? 'noHandshake' : findingOf(family, traitsOfHttp3(stableHttp3Text(http3, pseudoHeaders)));
    },
  ),
  'host-not-first': ruleWith(claimedFamily, ({ family, handshake: { clientHello, headerFields } }) => {
    // Over plain HTTP, proxies may rewrite headers unnoticed.
    if (clientHello === null || headerFields === null || !hostFirst.has(family)) return 'noHandshake';
    const [[first] = ['']] = headerFields;
    if (first.startsWith(':') || first === 'Host') return null;
    return { headers: ['host', 'user-agent'], values: { claimed: family } };
  }),
} satisfies RuleFunctions;
