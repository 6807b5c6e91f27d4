/** The opening of a connection as this process observed it: the bytes that fingerprints are computed from. */
import type { ObservedOpening } from '../../core/observed.ts';
import type { Connection } from '../../ingress/connection.ts';
import { takeSyn } from '../../native/tcp-syn.ts';

/** `rawHeaders` alternates names and values, as Node has them. */
export function openingOf(connection: Connection, rawHeaders: readonly string[]): ObservedOpening {
  return {
    clientHello: connection.hello,
    http2Frames: connection.http2Frames,
    headerNames: rawHeaders.filter((_, at) => at % 2 === 0),
    get tcpSyn() {
      // Behind a PROXY header, the first packet is the proxy's.
      if (connection.relayed) return null;
      if (connection.syn === undefined) connection.syn = takeSyn(connection.socket);
      return connection.syn;
    },
    ja3: null,
    ja4: null,
  };
}
