/** The shape of echoip, the software of ifconfig.co: https://github.com/mpolden/echoip */
import { parseWeights } from '../core/accept.ts';
import { parseAddress } from '../core/address.ts';
import { maxPort } from '../core/limits.ts';
import {
  asnOf,
  type DialectReply,
  type DialectRequest,
  type DialectRow,
  indent,
  mediaTypes,
  omitUnknown,
  rowsOf,
} from './dialect.ts';

function json({ about, observed }: DialectRequest): string {
  const agent = observed.headers['user-agent'];
  const members = omitUnknown({
    ip: about.ip,
    ip_decimal: String(parseAddress(about.ip ?? '')?.bits ?? 0),
    country: about.countryName,
    country_iso: about.country,
    country_eu: about.isEU,
    region_name: about.region,
    region_code: about.regionCode,
    metro_code: Number(about.metroCode) || null,
    zip_code: about.postalCode,
    city: about.city,
    latitude: about.latitude || null,
    longitude: about.longitude || null,
    time_zone: about.timezone,
    asn: asnOf(about),
    asn_org: about.asOrganization,
    user_agent: agent && productOf(agent),
  });
  // A number, although IPv6 has more digits than JavaScript's numbers.
  return indent(members).replace(/"ip_decimal": "(\d+)"/, '"ip_decimal": $1');
}

/** The version begins with a digit after the first slash; the comment is what follows. */
function productOf(agent: string): object {
  const [, product = agent, rest = ''] = /^([^/]*)\/(.*)$/s.exec(agent) ?? [];
  const [, version = '', comment = rest] = /^(\d[^ ]*) ?(.*)$/s.exec(rest) ?? [];
  return omitUnknown({ product, version, comment, raw_value: agent });
}

/** JSON if the client names it and does not prefer text; programs that accept anything get the address. */
function home(request: DialectRequest) {
  const weights = parseWeights(request.observed.headers.accept ?? '');
  const wanted = weights.get(mediaTypes.json) ?? 0;
  const isJson = wanted > 0 && wanted >= (weights.get('text/plain') ?? 0);
  return isJson ? { body: json(request), mediaType: mediaTypes.json } : { body: `${request.about.ip ?? ''}\n` };
}

/** Rejects an address without data, as echoip rejects text that is not an address. */
function rejectUnfit({ about, unfit }: DialectRequest) {
  return reject(unfit === 'malformed' ? `could not parse IP: ${about.ip}` : `not a public IP: ${about.ip}`);
}

const reject = (error: string): DialectReply => ({
  status: 400,
  mediaType: mediaTypes.json,
  body: indent({ status: 400, error }),
});

const coordinates = ({ about: { latitude, longitude } }: DialectRequest): string =>
  `${[latitude, longitude].map((degrees) => (degrees ?? 0).toFixed(6)).join(',')}\n`;

/** Reads the port as Go's `strconv.ParseUint` does. */
async function port({ port, checkPort }: DialectRequest): Promise<string | DialectReply> {
  const text = port ?? '';
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > maxPort) return reject(`invalid port: ${text}`);
  const { ip, state } = await checkPort(String(number));
  return indent({ ip, port: number, reachable: state === 'open' });
}

const rows = [
  ...rowsOf(mediaTypes.text, [
    ['', 'Address as text, or the JSON of /json if Accept names application/json', home],
    ['/ip', 'Address', ({ about }) => `${about.ip ?? ''}\n`],
    ['/country', 'Country name', ({ about }) => `${about.countryName ?? ''}\n`],
    ['/country-iso', 'Country code', ({ about }) => `${about.country ?? ''}\n`],
    ['/city', 'City', ({ about }) => `${about.city ?? ''}\n`],
    ['/asn', 'AS number', ({ about }) => `${asnOf(about)}\n`],
    ['/asn-org', 'Organization of the AS', ({ about }) => `${about.asOrganization ?? ''}\n`],
    ['/coordinates', 'Latitude and longitude', coordinates],
  ]),
  ...rowsOf(mediaTypes.json, [['/json', 'Address, location, network and User-Agent', json]]),
];

export const echoip: readonly DialectRow[] = [
  ...rows.map(({ shape, ...row }) => ({
    ...row,
    ...(row.path === '' && { otherMediaTypes: [mediaTypes.json] }),
    parameters: [{ name: 'ip', description: 'Another public address; counts as a lookup' }],
    addressParameter: 'ip',
    shape: (request: DialectRequest) =>
      request.isLookup && request.unfit !== null ? rejectUnfit(request) : shape(request),
  })),
  ...rowsOf(mediaTypes.json, [['/health', 'Always OK', () => '{"status":"OK"}']]),
  ...rowsOf(mediaTypes.json, [['/port/{port}', 'Whether a TCP port of the client is open; off by default', port]]).map(
    (row) => ({ ...row, connectsBack: true as const }),
  ),
];
