/** What a request shows about connection and client, in words: for the start page, and for the terminal. */
import type { UserAgent } from '../../../client/user-agent-schema.ts';
import { isWithin, networks, parseAddress } from '../../../core/address.ts';
import { joinKnown } from '../../../core/text.ts';
import { deviceNames } from '../data/client-names.ts';

export const simulatedNote = 'This is a local development server: location and network are simulated.';

interface Transport {
  /** The client's address. */
  readonly ip: string | null;
  /** Of TLS; null if a proxy ended it, or without encryption. */
  readonly version: string | null;
  /** Whether the client used an https URL. */
  readonly isSecure: boolean;
}

export function describeEncryption({ ip, version, isSecure }: Transport): string {
  const address = parseAddress(ip ?? '');
  if (version === null && !isSecure)
    return address !== null && isWithin(networks.loopback ?? [], address)
      ? 'No, plain HTTP, from the same machine'
      : 'No, plain HTTP: others can read this in transit';
  return version === null ? 'Yes, HTTPS' : `Yes, with ${version.replace('TLSv', 'TLS ')}`;
}

type Device = Pick<UserAgent['device'], 'vendor' | 'model'> & { readonly type: string };

/** Kind of device with its model if known, such as `Phone: Apple iPhone`; null if neither is. */
export const describeDevice = ({ type, vendor, model }: Device): string | null =>
  joinKnown([deviceNames[type], joinKnown([vendor, model], ' ')], ': ');

interface Client {
  readonly bot: Pick<NonNullable<UserAgent['bot']>, 'name'> | null;
  readonly browser: Pick<UserAgent['browser'], 'name' | 'major'>;
  readonly os: Pick<UserAgent['os'], 'name'>;
}

/** Name, version and OS, such as `Chrome 156 on Linux`; null for an unknown client. */
export function nameClient({ bot, browser, os }: Client): string | null {
  const name = bot?.name ?? browser.name;
  if (name === null) return null;
  const version = bot === null ? (browser.major ?? '') : '';
  return `${name} ${version}`.trim() + (os.name === null ? '' : ` on ${os.name}`);
}
