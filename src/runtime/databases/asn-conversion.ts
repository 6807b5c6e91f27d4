/** A separate program, so that its memory is freed: reads the CSV files in a folder and writes the ASN database to standard output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAsnDatabase } from './asn-database.ts';

const [folder = '', builtSeconds = ''] = process.argv.slice(2);
const read = (version: 4 | 6): string => readFileSync(join(folder, `asn-ipv${version}-num.csv`), 'latin1');
const source = { ipv4: read(4), ipv6: read(6), builtSeconds: Number(builtSeconds) };
const total = source.ipv4.length + source.ipv6.length;
process.stdout.write(createAsnDatabase(source, (done) => process.send?.({ done, total })));
process.disconnect?.();
