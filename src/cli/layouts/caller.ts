/** Layout of what a service observes of the caller. */
import { flatten } from '../../core/text.ts';
import { Info } from '../../resources/info.ts';
import { placeRows } from './lookups.ts';
import { joinKnown, layOutRows, type Row, type Terminal } from './terminal.ts';

/** The address first. Another version of the service may return other fields: then a line for each. */
export function layOut(value: object, terminal: Terminal): string {
  const parsed = Info.safeParse(value);
  if (!parsed.success) return flatten(value, false);
  const { ip, location, network, http, tls, userAgent } = parsed.data;
  const { browser, os, device, kind } = userAgent;
  const rows: Row[] = [
    ['Address', ip],
    ...placeRows(location, network),
    ['Protocol', joinKnown([http.protocol, tls?.version, tls?.cipher])],
    [
      'Client',
      joinKnown([
        joinKnown([browser.name, browser.version], ' '),
        joinKnown([os.name, os.version], ' '),
        joinKnown([device.vendor, device.model], ' '),
      ]),
    ],
    ['Kind', kind],
    ['User-Agent', userAgent.raw],
  ];
  return `${layOutRows(rows, terminal)}\nAll values: --json\n`;
}

/** The address alone; empty if there is none. */
export function shorten(value: object): string {
  const { ip } = value as { readonly ip?: unknown };
  return typeof ip === 'string' ? ip : '';
}
