/** Gathers the addresses that WebRTC shows to other peers, with the STUN server of the service. No peer exists, so nothing connects. */
import type { Probes } from '../../../core/request-context.ts';
import { type Gathering, readCandidate, type WebRtcTest } from '../../../probes/webrtc.ts';

/**
 * Time after the last address of a server. Chromium repeats requests after 250, 750 and 1750 ms, and waits ten seconds for responses over an
 * IP version that the device does not have.
 */
const lastAddressMs = 2_000;

/** Ends with the signal at the latest. Resolves with null if the browser has no WebRTC. */
export async function gatherCandidates(
  { host, port, mappingPort }: NonNullable<Probes['stun']>,
  signal: AbortSignal,
): Promise<WebRtcTest | null> {
  const authority = host.includes(':') ? `[${host}]` : host;
  const urls = [port, mappingPort].flatMap((each) => (each === null ? [] : `stun:${authority}:${each}`));
  const connections = [urls, ...(urls.length > 1 ? urls.map((url) => [url]) : [])];
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal.addEventListener('abort', end);
  let timer = 0;
  const onMapped = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, lastAddressMs);
  };
  const [all = null, ...single] = await Promise.all(connections.map((each) => gather(each, ended.signal, onMapped)));
  clearTimeout(timer);
  return all && { all, single: single.filter((each) => each !== null) };
}

/** Gathers with one connection; null if it fails, as extensions make it do. */
async function gather(urls: readonly string[], signal: AbortSignal, onMapped: () => void): Promise<Gathering | null> {
  try {
    const connection = new RTCPeerConnection({ iceServers: [{ urls: [...urls] }] });
    const texts: string[] = [];
    let failure: Gathering['failure'] = null;
    connection.addEventListener('icecandidate', ({ candidate }) => {
      if (candidate === null) return;
      texts.push(candidate.candidate);
      if (readCandidate(candidate.candidate)?.type === 'srflx') onMapped();
    });
    // A text of Chromium. No browser reports within the time of the test that a response is missing.
    connection.addEventListener('icecandidateerror', ({ errorText }) => {
      failure = errorText.includes('lookup') ? 'lookup' : 'unstated';
    });
    const isEnded = new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
      connection.addEventListener('icegatheringstatechange', () => {
        if (connection.iceGatheringState === 'complete') resolve(null);
      });
    });
    try {
      connection.createDataChannel('');
      await connection.setLocalDescription();
      await isEnded;
      const isComplete = connection.iceGatheringState === 'complete';
      return { candidates: texts.flatMap((text) => readCandidate(text) ?? []), isComplete, failure };
    } finally {
      connection.close();
    }
  } catch {
    return null;
  }
}
