/** The shape of ipify: https://github.com/rdegges/ipify-api */
import { type DialectRequest, type DialectRow, mediaTypes, parameterOf, wrapCallback } from './dialect.ts';

function address(request: DialectRequest) {
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
    shape: address,
  },
];
