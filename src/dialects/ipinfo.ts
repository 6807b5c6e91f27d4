/** The shape of ipinfo.io: https://ipinfo.io/developers */
import type { Geo } from '../resources/geo.ts';
import {
  type DialectReply,
  type DialectRequest,
  type DialectRow,
  indent,
  mediaTypes,
  networkOf,
  omitUnknown,
  parameterOf,
  rowsOf,
  wrapCallback,
} from './dialect.ts';

/** Values in the order of the JSON; empty if they are not known. */
const valuesOf = ({ ip, latitude, longitude, ...about }: Geo) => ({
  ip: ip ?? '',
  city: about.city ?? '',
  region: about.region ?? '',
  country: about.country ?? '',
  loc: latitude === null || longitude === null ? '' : `${latitude},${longitude}`,
  org: networkOf(about),
  postal: about.postalCode ?? '',
  timezone: about.timezone ?? '',
});

const notAnAddress = {
  status: 404,
  mediaType: mediaTypes.json,
  body: indent({ status: 404, error: { title: 'Wrong ip', message: 'Please provide a valid IP address' } }),
};

function json(request: DialectRequest): DialectReply {
  const reply = request.unfit === 'malformed' ? notAnAddress : { body: indent(membersOf(request)) };
  return { ...reply, ...wrapCallback(reply.body, parameterOf(request, 'callback')) };
}

function membersOf({ about, unfit }: DialectRequest): object {
  if (unfit !== null) return { ip: about.ip, bogon: true };
  const { country, postal, timezone, loc, org, ...values } = valuesOf(about);
  // A client library fails without the country.
  return { ...omitUnknown(values), country, ...omitUnknown({ loc, org, postal, timezone }) };
}

const field =
  (name: keyof ReturnType<typeof valuesOf>): DialectRow['shape'] =>
  ({ about, unfit }) => {
    if (unfit === 'malformed') return notAnAddress;
    return unfit === null || name === 'ip' ? valuesOf(about)[name] : '';
  };

const callback = { name: 'callback', description: 'Name of a function, for JSONP' };

const rowsBelow = (path: string, subject: string): DialectRow[] => [
  ...rowsOf(mediaTypes.json, [
    [path, `Address, location and network${subject}`, json],
    [`${path}/json`, `Address, location and network${subject}`, json],
  ]).map((row) => ({ ...row, parameters: [callback], otherMediaTypes: [mediaTypes.javascript] })),
  ...rowsOf(mediaTypes.text, [
    [`${path}/ip`, `Address${subject}`, field('ip')],
    [`${path}/city`, `City${subject}`, field('city')],
    [`${path}/region`, `Region${subject}`, field('region')],
    [`${path}/country`, `Country code${subject}`, field('country')],
    [`${path}/loc`, `Latitude and longitude${subject}`, field('loc')],
    [`${path}/org`, `AS number and organization${subject}`, field('org')],
    [`${path}/postal`, `Postal code${subject}`, field('postal')],
    [`${path}/timezone`, `Time zone${subject}`, field('timezone')],
    [`${path}/hostname`, 'Always empty: no host name is looked up here', () => ''],
  ]),
];

export const ipinfo: readonly DialectRow[] = [...rowsBelow('', ''), ...rowsBelow('/{ip}', ' of another address')];
