/** The shapes of services that return only the address: icanhazip.com and checkip.amazonaws.com, checkip.dyndns.org, and ipify. */
import { type DialectRequest, type DialectRow, mediaTypes, parameterOf, rowsOf, wrapCallback } from './dialect.ts';

const line = ({ about }: DialectRequest): string => `${about.ip ?? ''}\n`;

const page = ({ about }: DialectRequest): string =>
  `<html><head><title>Current IP Check</title></head><body>Current IP Address: ${about.ip ?? ''}</body></html>\r\n`;

export const plain: readonly DialectRow[] = rowsOf('text/plain', [['', 'Address and a newline', line]]);

export const dyndns: readonly DialectRow[] = rowsOf('text/html', [['', 'Address in a page of one line', page]]);

/** The shape of ipify: https://github.com/rdegges/ipify-api */
function replyAsIpify(request: DialectRequest) {
  const ip = request.about.ip ?? '';
  const json = JSON.stringify({ ip });
  if (parameterOf(request, 'format') === 'json') return { body: json, mediaType: mediaTypes.json };
  if (parameterOf(request, 'format') === 'jsonp')
    return wrapCallback(json, parameterOf(request, 'callback') ?? 'callback');
  return ip;
}

export const ipify: readonly DialectRow[] = [
  {
    path: '',
    summary: 'Address as text, JSON or JSONP',
    mediaType: 'text/plain',
    otherMediaTypes: [mediaTypes.json, mediaTypes.javascript],
    parameters: [
      { name: 'format', description: 'json or jsonp; any other value is text' },
      { name: 'callback', description: 'Name of the function for jsonp' },
    ],
    shape: replyAsIpify,
  },
];
