/**
 * JA4 of a ClientHello in its four forms (FoxIO, 2023: https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md). The other
 * fingerprints of the JA4+ family have a non-commercial license and are not computed.
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
import type { WholeClientHello } from './client-hello.ts';
import { extensionIds, versionCodes } from './data/tls-names.ts';
import { sha256 } from './digests.ts';
import { omitGrease } from './names.ts';

/** A JA4 that an edge in front computed; null if it has another form. */
export const parseJa4 = (value: string): string | null =>
  /^[tqd](?:\d\d|[sd]\d)[di]\d{4}[\dA-Za-z]{2}_[\da-f]{12}_[\da-f]{12}$/.test(value) ? value : null;

/** Hashed and raw (`r`), with sorted lists and in original order (`o`). `transport` is the first letter: TLS over TCP, or QUIC. */
export function ja4(hello: WholeClientHello, transport: 't' | 'q' = 't') {
  const { alpn, signatureAlgorithms, supportedVersions } = hello;
  const ciphers = omitGrease(hello.cipherSuites);
  const extensions = omitGrease(hello.extensions?.map(({ id }) => id));
  const [highest] = omitGrease(supportedVersions).sort((one, other) => other - one);
  const start = [
    transport,
    versionCodes.get(highest ?? hello.legacyVersion) ?? '00',
    extensions.includes(extensionIds.serverName) ? 'd' : 'i',
    count(ciphers),
    count(extensions),
    alpnCode(alpn?.[0]),
  ].join('');
  const algorithms = omitGrease(signatureAlgorithms).map(hex);
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

/** First and last character of the first protocol; those of its hex digits if one of the two is no ASCII letter or digit. */
function alpnCode(protocol: Uint8Array | undefined): string {
  const first = protocol?.at(0);
  const last = protocol?.at(-1);
  if (first === undefined || last === undefined) return '00';
  const ends = String.fromCharCode(first, last);
  if (/^[0-9A-Za-z]{2}$/.test(ends)) return ends;
  return `${(first >> 4).toString(16)}${(last & 15).toString(16)}`;
}
