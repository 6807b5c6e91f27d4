/** Layout of the report about a domain: a line for each part, in the words of its page. */
import { domainToUnicode } from 'node:url';
import { joinKnown as joinFacts } from '../../core/text.ts';
import type { CertificateCheck } from '../../lookups/certificate/schema.ts';
import type { DomainRecords } from '../../lookups/domain/domain-records.ts';
import type { HeaderCheck } from '../../lookups/headers-check/schema.ts';
import type { IpLookup } from '../../lookups/ip/ip-lookup.ts';
import type { RdapResult } from '../../lookups/rdap/schema.ts';
import { briefOfError, reportParts } from '../../lookups/report.ts';
import { providerOf } from './lookups.ts';
import { columns, type Terminal } from './terminal.ts';

/** In place of a result. */
type Failed = Readonly<Record<'error' | 'message', string>>;

/** Each part has a result, or the reason why there is none. */
export interface DomainReport {
  readonly name: string;
  readonly registration: RdapResult | Failed;
  readonly dns: DomainRecords | Failed;
  readonly headers: HeaderCheck | Failed;
  readonly address: IpLookup | Failed;
  readonly certificate: CertificateCheck | Failed;
}

const isFailed = (part: object): part is Failed => 'error' in part && 'message' in part;

/** Records without a conclusive answer, and a check without a certificate, only state why there is no result. */
export const hasResult = ({ dns, certificate, ...others }: DomainReport): boolean =>
  [others.registration, others.headers, others.address].some((part) => !isFailed(part)) ||
  (!isFailed(dns) && dns.records.some(({ failure }) => failure === null)) ||
  (!isFailed(certificate) && certificate.certificates.length > 0);

/** Facts besides those in brief. */
function factsOf({ registration, address }: DomainReport): Readonly<Record<string, readonly (string | null)[]>> {
  const registrar =
    !isFailed(registration) && 'registrar' in registration.summary ? registration.summary.registrar : null;
  return {
    registration: [registrar?.name ?? null],
    address: isFailed(address) ? [] : [providerOf(address), address.ip],
  };
}

export function layOut(report: DomainReport, terminal: Terminal): string {
  const facts = factsOf(report);
  const rows = reportParts.map(({ id, title, briefOf }) => {
    const part = report[id];
    if (isFailed(part)) return [title, `- (${briefOfError(part)})`];
    const brief = briefOf(part as never, terminal.nowMs);
    return [title, joinFacts([...brief, ...(facts[id] ?? [])], ' · ') ?? ''];
  });
  const unicodeName = domainToUnicode(report.name);
  const name = joinFacts([unicodeName, report.name], ' = ') ?? '';
  return `${columns([['Domain', name], ...rows], terminal)}
Each in full: whois, dns, grade, ip, cert; all values: --json\n`;
}

export const subjectOf = ({ name }: DomainReport): string => name;

export const shorten = (report: DomainReport, { nowMs }: Terminal): string =>
  joinFacts(
    reportParts.flatMap(({ id, title, briefOf }) => {
      const part = report[id];
      return isFailed(part) ? [`${title}: -`] : briefOf(part as never, nowMs);
    }),
    ' · ',
  ) ?? '';
