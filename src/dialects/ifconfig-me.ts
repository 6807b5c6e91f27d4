/** The shape of ifconfig.me. */
import { flatten } from '../core/text.ts';
import { type DialectRequest, type DialectRow, mediaTypes, omitUnknown, rowsOf } from './dialect.ts';

/** The values in the order of `/all`; empty if the client sent no such header. */
function valuesOf({ about, observed }: DialectRequest) {
  const { headers, method, port, acceptEncoding } = observed;
  return {
    ip_addr: about.ip ?? '',
    remote_host: 'unavailable',
    user_agent: headers['user-agent'] ?? '',
    port: port ?? '',
    language: headers['accept-language'] ?? '',
    referer: headers.referer ?? '',
    connection: headers.connection ?? '',
    keep_alive: headers['keep-alive'] ?? '',
    method,
    encoding: acceptEncoding ?? '',
    mime: headers.accept ?? '',
    charset: headers['accept-charset'] ?? '',
    via: headers.via ?? '',
    forwarded: headers['x-forwarded-for'] ?? '',
  };
}

function json(request: DialectRequest): string {
  const values = valuesOf(request);
  const { mime, via, forwarded } = values;
  // A client requires these three even if they are empty.
  return JSON.stringify({ ...omitUnknown(values), mime, via, forwarded });
}

const value =
  (key: keyof ReturnType<typeof valuesOf>): DialectRow['shape'] =>
  (request) =>
    String(valuesOf(request)[key]);

export const ifconfigMe: readonly DialectRow[] = [
  ...rowsOf(mediaTypes.text, [
    ['', 'Address', value('ip_addr')],
    ['/ip', 'Address', value('ip_addr')],
    ['/ua', 'User-Agent', value('user_agent')],
    ['/lang', 'Accept-Language', value('language')],
    ['/encoding', 'Accept-Encoding', value('encoding')],
    ['/mime', 'Accept', value('mime')],
    ['/charset', 'Accept-Charset', value('charset')],
    ['/referer', 'Referer', value('referer')],
    ['/forwarded', 'X-Forwarded-For, as the client sent it', value('forwarded')],
    ['/method', 'Request method', value('method')],
    ['/port', 'Source port', value('port')],
    ['/host', 'Always unavailable', value('remote_host')],
    ['/all', 'All values, one "key: value" line each', (request) => flatten(valuesOf(request))],
  ]),
  ...rowsOf(mediaTypes.utf8Json, [['/all.json', 'All values', json]]),
];
