/** What a request shows about connection and client, in words: for the start page, and for the terminal. */
import type { UserAgent } from '../../../client/user-agent-schema.ts';
import { isWithin, networks, parseAddress } from '../../../core/address.ts';
import { joinKnown } from '../../../core/text.ts';
import { deviceNames } from '../data/client-names.ts';

export const simulatedNote = 'This is a local development server: location and network are simulated.';

type Fields = Readonly<Record<string, string>>;

/** Members of `/json`; another version of the service may lack some. */
interface Received {
  readonly ip: string | null;
  /** The version is null if a proxy ended TLS, or without encryption. */
  readonly tls: { readonly version: string | null };
  readonly headers?: Fields | undefined;
  readonly edgeHeaders?: Fields | undefined;
  readonly meta?: { readonly simulated?: boolean | undefined } | undefined;
}

/** Whether a proxy may have sent the request that the operator's settings do not name: the headers of a trusted one are elsewhere. */
export const isForwarded = ({ headers = {}, edgeHeaders = {}, meta }: Received): boolean =>
  headers['x-forwarded-for'] !== undefined && Object.keys(edgeHeaders).length === 0 && meta?.simulated !== true;

/** `isSecure`: whether the client used an https URL, as far as the service knows. */
export function describeEncryption(received: Received, isSecure: boolean): string {
  const { version } = received.tls;
  if (version !== null) return `Yes, with ${version.replace('TLSv', 'TLS ')}`;
  if (isSecure) return 'Yes, HTTPS';
  if (isForwarded(received)) return 'Not known: a proxy passed the request on over plain HTTP';
  const address = parseAddress(received.ip ?? '');
  return address !== null && isWithin(networks.loopback ?? [], address)
    ? 'No, plain HTTP, from the same machine'
    : 'No, plain HTTP: others can read this in transit';
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
