/** Describes what happened when the service connected to a port of the client's address. Pure. */

/** The members of `/api/port` that are described. */
export interface PortResult {
  readonly ip: string;
  readonly port: number;
  readonly state: 'open' | 'closed' | 'filtered';
  readonly elapsedMs: number;
}

const meanings: Readonly<Record<PortResult['state'], string>> = {
  open: 'A program accepts connections from the internet.',
  closed: 'The connection was refused: no program listens on it, or a firewall rejects connections.',
  filtered:
    'There was no response. Usual reasons: a router or firewall that drops connections, or a device that is off.',
};

/** Returns a sentence such as `Port 443 of 192.0.2.1 is open.`, its meaning, and the time. */
export const describePort = ({ ip, port, state, elapsedMs }: PortResult): string =>
  `Port ${port} of ${ip} is ${state}. ${meanings[state]} (${elapsedMs} ms)`;
