/** Layout of what a service observes of the caller, in the words of its start page. */
import * as z from 'zod';
import { flatten } from '../../core/text.ts';
import { kindNames } from '../../http/page/data/client-names.ts';
import { IpLocation } from '../../resources/geo.ts';
import { Info } from '../../resources/info.ts';
import type { ClientTests } from '../me/client-tests.ts';
import { shortenTests, testRows } from './client-tests.ts';
import { placeMembers, placeRows } from './lookups.ts';
import { joinKnown, layOutRows, type Row, type Terminal } from './terminal.ts';

const schemas = Info.shape;
const agentSchemas = schemas.userAgent.shape;

/** The fields that the layout uses, because another version of the service may lack others. */
const Shown = z.object({
  ip: schemas.ip,
  location: IpLocation.pick(placeMembers),
  network: schemas.network.pick({ asn: true, asOrganization: true }),
  http: schemas.http.pick({ protocol: true }),
  tls: schemas.tls.pick({ version: true, cipher: true }),
  userAgent: z.object({
    browser: agentSchemas.browser.pick({ name: true, version: true }),
    os: agentSchemas.os.pick({ name: true, version: true }),
    device: agentSchemas.device.pick({ vendor: true, model: true }),
    // A newer service may name other kinds.
    kind: z.string(),
    raw: agentSchemas.raw,
  }),
});

/** The data that `me` shows: the body of `/json`, of any version of the service, and the tests. */
type Caller = ClientTests & Readonly<Record<string, unknown>>;

const unseenTls = 'Not seen by the service: plain HTTP, or a proxy ended TLS';

/** The address first, the tests last. If a field of `Shown` is missing, or has another type, a line for each value instead. */
export function layOut(value: Caller, terminal: Terminal): string {
  const parsed = Shown.safeParse(value);
  if (!parsed.success) return flatten(value, false);
  const { ip, location, network, http, tls, userAgent } = parsed.data;
  const { browser, os, device, kind } = userAgent;
  const { asn, asOrganization } = network;
  const rows: Row[] = [
    ['IP address', ip],
    [
      'Provider',
      joinKnown([asOrganization, asn === null ? null : asOrganization === null ? `AS${asn}` : `(AS${asn})`], ' '),
    ],
    ...placeRows(location),
    ['Encryption', tls.version === null ? unseenTls : `Yes, with ${tls.version.replace('TLSv', 'TLS ')}`],
    ['HTTP', http.protocol],
    ['Cipher suite', tls.cipher],
    [
      'Browser',
      joinKnown([
        joinKnown([browser.name, browser.version], ' '),
        joinKnown([os.name, os.version], ' '),
        joinKnown([device.vendor, device.model], ' '),
      ]),
    ],
    ['Looks like', (kindNames as Readonly<Record<string, string>>)[kind] ?? kind],
    ['User-Agent', userAgent.raw],
    ...testRows(value, { ...network, ip }),
  ];
  return `${layOutRows(rows, terminal)}\nAll values: --json\n`;
}

/** The address, empty if there is none, and the results of the tests that the service offers. */
export function shorten(value: Caller): string {
  const { ip } = value;
  return joinKnown([typeof ip === 'string' ? ip : '', shortenTests(value)], ' · ');
}
