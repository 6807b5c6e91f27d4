/**
 * The fingerprint that Akamai described at Black Hat Europe 2017, of the connection preface of an HTTP/2 client:
 * https://blackhat.com/docs/eu-17/materials/eu-17-Shuster-Passive-Fingerprinting-Of-HTTP2-Clients-wp.pdf
 */
import { hashed } from './digests.ts';
import type { Http2Preface } from './http2.ts';

/** The text is `settings|windowUpdate|priorityFrames|pseudoHeaders`; the names of pseudo-headers come with their colon. */
export function akamai(preface: Http2Preface, pseudoHeaders: readonly string[]) {
  const settings = preface.settings.map(({ id, value }) => `${id}:${value}`);
  const priorities = preface.priorityFrames.map(
    ({ streamId, exclusive, dependsOn, weight }) => `${streamId}:${exclusive ? 1 : 0}:${dependsOn}:${weight}`,
  );
  return hashed(
    [
      settings.join(';'),
      preface.windowUpdate ?? '00',
      priorities.length === 0 ? '0' : priorities.join(','),
      pseudoHeaders.map((name) => name.charAt(1)).join(','),
    ].join('|'),
  );
}
