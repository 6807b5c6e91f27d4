/** Gathers the addresses that WebRTC shows to other peers, with the STUN server of the service. No peer exists, so nothing connects. */
import type { Probes } from '../../../core/request-context.ts';
import type { Candidate, Gathering } from '../home/webrtc.ts';

/** Returns null if the browser has no WebRTC. */
export async function gatherCandidates(
  { host, port, mappingPort }: NonNullable<Probes['stun']>,
  signal: AbortSignal,
): Promise<Gathering | null> {
  const authority = host.includes(':') ? `[${host}]` : host;
  const ports = [port, mappingPort].filter((each) => each !== null);
  const connection = openConnection(ports.map((each) => `stun:${authority}:${each}`));
  if (connection === null) return null;
  const candidates: RTCIceCandidate[] = [];
  const failures: string[] = [];
  connection.addEventListener('icecandidate', ({ candidate }) => {
    if (candidate?.protocol === 'udp') candidates.push(candidate);
  });
  connection.addEventListener('icecandidateerror', ({ url }) => failures.push(url));
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
    const isComplete = connection.iceGatheringState === 'complete' && areAlike(failures, ports);
    return { candidates: candidates.flatMap(describe), isComplete, hasAny: candidates.length > 0 };
  } catch {
    return null;
  } finally {
    connection.close();
  }
}

/** Extensions remove the constructor, or make it fail. */
function openConnection(urls: readonly string[]): RTCPeerConnection | null {
  try {
    return new RTCPeerConnection({ iceServers: [{ urls: [...urls] }] });
  } catch {
    return null;
  }
}

/**
 * Whether each port of the server failed as often. A server without an IPv6 address fails for both, which leaves IPv4 comparable; Firefox
 * reports no IP version with a failure.
 */
const areAlike = (failedUrls: readonly string[], ports: readonly number[]): boolean =>
  new Set(ports.map((port) => failedUrls.filter((url) => url.endsWith(`:${port}`)).length)).size <= 1;

function describe({ type, address, port }: RTCIceCandidate): Candidate[] {
  const isKnown = (type === 'host' || type === 'srflx') && address !== null && port !== null;
  return isKnown && !address.endsWith('.local') ? [{ type, ip: address, port }] : [];
}
