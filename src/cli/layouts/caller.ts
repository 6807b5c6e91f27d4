/** Layout of what a service observes of the caller, in the words of its start page. */
import * as z from 'zod';
import { noteReserved } from '../../core/address.ts';
import { flatten } from '../../core/text.ts';
import { kindNames } from '../../http/page/data/client-names.ts';
import { describeDevice, describeEncryption, nameClient, simulatedNote } from '../../http/page/home/request-summary.ts';
import { nameNetwork } from '../../probes/organization.ts';
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
  headers: schemas.headers.optional(),
  edgeHeaders: schemas.edgeHeaders.optional(),
  // Absent in some versions.
  meta: z.object({ simulated: z.boolean().optional() }).optional(),
  userAgent: z.object({
    browser: agentSchemas.browser.pick({ name: true, major: true }),
    os: agentSchemas.os.pick({ name: true }),
    // A newer service may name other kinds.
    device: agentSchemas.device.pick({ vendor: true, model: true }).extend({ type: z.string() }),
    kind: z.string(),
    bot: z.object({ name: z.string() }).nullable(),
    raw: agentSchemas.raw,
  }),
});

/** The data that `me` shows: the body of `/json`, of any version of the service, the tests, and the origin of the service. */
type Caller = ClientTests & { readonly service: string } & Readonly<Record<string, unknown>>;

/** The address first, the tests last. If a field of `Shown` is missing, or has another type, a line for each value instead. */
export function layOut(value: Caller, terminal: Terminal): string {
  const parsed = Shown.safeParse(value);
  if (!parsed.success) return flatten(value, false);
  const { ip, location, network, http, tls, meta, userAgent } = parsed.data;
  const { bot, device, kind } = userAgent;
  const client = nameClient(userAgent);
  const rows: Row[] = [
    ['IP address', [ip, noteReserved(ip ?? '')]],
    ['Note', meta?.simulated ? simulatedNote : null],
    ['Provider', nameNetwork(network)],
    ...placeRows(location),
    ['Encryption', describeEncryption(parsed.data, value.service.startsWith('https:'))],
    ['HTTP', http.protocol],
    ['Cipher suite', tls.cipher],
    ['Browser', client && joinKnown([client, bot === null ? describeDevice(device) : null])],
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
