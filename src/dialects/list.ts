/** The list of dialects: a row for each path below `/as/`. Routes, OpenAPI and documentation follow from it. */
import { browserleaks } from './browserleaks.ts';
import type { DialectRow } from './dialect.ts';
import { echoip } from './echoip.ts';
import { httpbin } from './httpbin.ts';
import { ifconfigMe } from './ifconfig-me.ts';
import { ipApi } from './ip-api.ts';
import { ipinfo } from './ipinfo.ts';
import { peet } from './peet.ts';
import { dyndns, ipify, plain } from './plain.ts';
import { trace } from './trace.ts';

/** By the name of the service in the path. */
const services: Readonly<Record<string, readonly DialectRow[]>> = {
  echoip,
  ipify,
  ipinfo,
  'ip-api': ipApi,
  'ifconfig.me': ifconfigMe,
  trace,
  plain,
  dyndns,
  httpbin,
  peet,
  browserleaks,
};

/** With their whole paths. */
export const dialects: readonly DialectRow[] = Object.entries(services).flatMap(([service, rows]) =>
  rows.map((row) => ({ ...row, path: `/as/${service}${row.path}` })),
);
