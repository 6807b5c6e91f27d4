/** The shapes of icanhazip.com and checkip.amazonaws.com, a line, and of checkip.dyndns.org, a page. */
import { type DialectRequest, type DialectRow, rowsOf } from './dialect.ts';

const line = ({ about }: DialectRequest): string => `${about.ip ?? ''}\n`;

const page = ({ about }: DialectRequest): string =>
  `<html><head><title>Current IP Check</title></head><body>Current IP Address: ${about.ip ?? ''}</body></html>\r\n`;

export const plain: readonly DialectRow[] = rowsOf('text/plain', [['', 'Address and a newline', line]]);

export const dyndns: readonly DialectRow[] = rowsOf('text/html', [['', 'Address in a page of one line', page]]);
