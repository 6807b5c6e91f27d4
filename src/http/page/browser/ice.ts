/** Gathers the addresses that WebRTC shows to other peers, with the STUN server of the service. No peer exists, so nothing connects. */
import type { Probes } from '../../../core/request-context.ts';
import type { Candidate, Gathering } from '../home/webrtc.ts';

/** Null if the browser has no WebRTC. */
export async function gatherCandidates(
  { host, port, mappingPort }: NonNullable<Probes['stun']>,
  signal: AbortSignal,
): Promise<Gathering | null> {
  const authority = host.includes(':') ? `[${host}]` : host;
  const urls = [port, mappingPort].filter((each) => each !== null).map((each) => `stun:${authority}:${each}`);
  const connection = openConnection(urls);
  if (connection === null) return null;
  const candidates: RTCIceCandidate[] = [];
  let hasError = false;
  connection.addEventListener('icecandidate', ({ candidate }) => {
    if (candidate?.protocol === 'udp') candidates.push(candidate);
  });
  connection.addEventListener('icecandidateerror', () => {
    hasError = true;
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
    const isComplete = connection.iceGatheringState === 'complete' && !hasError;
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

function describe({ type, address, port }: RTCIceCandidate): Candidate[] {
  const isKnown = (type === 'host' || type === 'srflx') && address !== null && port !== null;
  return isKnown && !address.endsWith('.local') ? [{ type, ip: address, port }] : [];
}
