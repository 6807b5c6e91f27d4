/**
 * JA3 of a ClientHello (Salesforce, 2017: https://github.com/salesforce/ja3); JA3N, the same with the extensions sorted, which stays
 * equal when a browser shuffles them; and JA4 in its four forms (FoxIO, 2023:
 * https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md). The other fingerprints of the JA4+ family have a non-commercial
 * license and are not computed.
 *
 * @license JA4 TLS Client Fingerprinting is published under the BSD 3-Clause License:
 *
 * Copyright (c) 2023 FoxIO
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
 * conditions are met:
 *
 * * Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
 *
 * * Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer
 *   in the documentation and/or other materials provided with the distribution.
 *
 * * Neither the name of FoxIO nor the names of its contributors may be used to endorse or promote products derived from this
 *   software without specific prior written permission.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT
 * NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL
 * THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
 * (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
 * INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE
 * OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
 */
import { extensionIds, type WholeClientHello } from './client-hello.ts';
import { hashed, sha256 } from './digests.ts';
import { isGrease } from './names.ts';

/** JA3 and JA3N. The text is `version,cipherSuites,extensions,groups,pointFormats`: decimal, GREASE left out, lists joined by `-`, absent ones empty. */
export function ja3(hello: WholeClientHello) {
  const ids = (hello.extensions ?? []).map(({ id }) => id);
  const lists = [hello.cipherSuites, ids, hello.supportedGroups ?? []].map((list) =>
    list.filter((id) => !isGrease(id)),
  );
  const texts = [...lists, hello.ecPointFormats ?? []].map((list) => list.join('-'));
  return codesOf([hello.legacyVersion, ...texts].join(','));
}

const isJa3Text = (text: string): boolean => /^\d+(?:,(?:\d+(?:-\d+)*)?){4}$/.test(text);

/** JA3 and JA3N of which only the text of JA3 is known; null if the text is not one. */
export const ja3OfText = (text: string) => (isJa3Text(text) ? codesOf(text) : null);

function codesOf(text: string) {
  const [version, ciphers, extensions = '', groups, formats] = text.split(',');
  const sorted = extensions.split('-').sort((a, b) => Number(a) - Number(b));
  return { ja3: hashed(text), ja3n: hashed([version, ciphers, sorted.join('-'), groups, formats].join(',')) };
}

/** A JA3 that an edge in front computed: its text, or the MD5 of it in hex; null if it has another form. */
export const checkJa3 = (value: string): string | null =>
  /^[\da-f]{32}$/.test(value) || (value.length <= maxTextLength && isJa3Text(value)) ? value : null;

/** A JA4 that an edge in front computed; null if it has another form. */
export const checkJa4 = (value: string): string | null =>
  /^[tqd](?:\d\d|[sd]\d)[di]\d{4}[\dA-Za-z]{2}_[\da-f]{12}_[\da-f]{12}$/.test(value) ? value : null;

/** Length for a ClientHello with a thousand cipher suites and extensions. */
const maxTextLength = 8192;

/** Hashed and raw (`r`), with sorted lists and in original order (`o`). `transport` is the first letter: TLS over TCP, or QUIC. */
export function ja4(hello: WholeClientHello, transport: 't' | 'q' = 't') {
  const { alpn, signatureAlgorithms, supportedVersions } = hello;
  const ciphers = hello.cipherSuites.filter((id) => !isGrease(id));
  const extensions = (hello.extensions ?? []).map(({ id }) => id).filter((id) => !isGrease(id));
  const start = [
    transport,
    versionCode(highest(supportedVersions ?? []) ?? hello.legacyVersion),
    extensions.includes(extensionIds.serverName) ? 'd' : 'i',
    count(ciphers),
    count(extensions),
    alpnCode(alpn?.[0]),
  ].join('');
  const algorithms = (signatureAlgorithms ?? []).filter((id) => !isGrease(id)).map(hex);
  const withAlgorithms = (ids: readonly string[]): string =>
    algorithms.length === 0 ? ids.join(',') : `${ids.join(',')}_${algorithms.join(',')}`;
  const counted = extensions.filter((id) => id !== extensionIds.serverName && id !== extensionIds.alpn);
  const sorted = [ciphers.map(hex).sort().join(','), withAlgorithms(counted.map(hex).sort())];
  const original = [ciphers.map(hex).join(','), withAlgorithms(extensions.map(hex))];
  return {
    ja4: [start, ...sorted.map(shortHash)].join('_'),
    ja4_r: [start, ...sorted].join('_'),
    ja4_o: [start, ...original.map(shortHash)].join('_'),
    ja4_ro: [start, ...original].join('_'),
  };
}

const hex = (id: number): string => id.toString(16).padStart(4, '0');

const shortHash = (text: string): string => (text === '' ? '0'.repeat(12) : sha256(text).slice(0, 12));

const count = ({ length }: readonly number[]): string => String(Math.min(length, 99)).padStart(2, '0');

function highest(versions: readonly number[]): number | null {
  const known = versions.filter((version) => !isGrease(version));
  return known.length === 0 ? null : Math.max(...known);
}

const versionCodes: ReadonlyMap<number, string> = new Map([
  [0x0304, '13'],
  [0x0303, '12'],
  [0x0302, '11'],
  [0x0301, '10'],
  [0x0300, 's3'],
  [0x0002, 's2'],
  [0xfeff, 'd1'],
  [0xfefd, 'd2'],
  [0xfefc, 'd3'],
]);

const versionCode = (version: number): string => versionCodes.get(version) ?? '00';

/** First and last character of the first protocol; those of its hex digits if one of the two is no ASCII letter or digit. */
function alpnCode(protocol: Uint8Array | undefined): string {
  const [first, last] = [protocol?.at(0), protocol?.at(-1)];
  if (first === undefined || last === undefined) return '00';
  const ends = String.fromCharCode(first, last);
  if (/^[0-9A-Za-z]{2}$/.test(ends)) return ends;
  return `${(first >> 4).toString(16)}${(last & 15).toString(16)}`;
}
