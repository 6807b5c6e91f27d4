/** The page of each lookup: its path and texts, and the field of its form. */
import { parseAddress, withoutBrackets } from '../../../core/address.ts';
import { certificateTarget } from '../../../lookups/certificate/check.ts';
import { parseDnsName } from '../../../lookups/dns/name.ts';
import { targetOf } from '../../../lookups/headers-check/target.ts';
import type { domainParts, lookups } from '../../../lookups/list.ts';
import type { Lookup } from '../../../lookups/lookup.ts';
import { describeQuery, parseQuery } from '../../../lookups/rdap/query.ts';

/** Lookups that have a page: the lookups of the list, and the parts of the report about a domain. */
export type LookupWithPage = (typeof lookups | typeof domainParts)[number];

export interface LookupPage {
  readonly path: string;
  readonly title: string;
  /** Its name in a row of tabs. */
  readonly tab: string;
  /** Noun for its content, in headings such as `example.com: registration`. */
  readonly subject: string;
  /** Returns the subject of a query, such as a host name, for headings; throws a ServiceError if it cannot be looked up. */
  readonly nameOf: (typed: string) => string;
  /** The label of its field; if absent, the description of the parameter. */
  readonly label?: string;
  /** Regular expression for its field (HTML `pattern`): it rejects only what no lookup succeeds with, to spare the visitor's rate. */
  readonly pattern: string;
  /** The name of its button. */
  readonly action: string;
  /** Text for the page's head and the list of endpoints. */
  readonly description: string;
}

/** An address has records too, of type PTR. */
const nameOfDomain = (typed: string): string =>
  parseAddress(withoutBrackets(typed.trim())) === null ? parseDnsName(typed) : describeQuery(parseQuery(typed));

const domainPattern = String.raw`\s*[^\s\/:]+\.[^\s\/:]+\s*`;

/** A new lookup needs a row: the compiler requires it. */
const pages: Readonly<Record<LookupWithPage['name'], LookupPage>> = {
  rdap: {
    path: '/lookup/rdap',
    title: 'Registration data',
    tab: 'Registration',
    subject: 'registration',
    nameOf: (typed) => describeQuery(parseQuery(typed)),
    pattern: String.raw`\s*([Aa][Ss][Nn]?\s*)?\S+\s*`,
    action: 'Look up registration',
    description: 'Who registered a domain, an IP address or an AS number, and since when',
  },
  'headers-check': {
    path: '/lookup/headers',
    title: 'Security headers grade',
    tab: 'Grade',
    subject: 'security headers',
    nameOf: (typed) => targetOf(typed, { ownHosts: [] }).hostname,
    label: 'Website, such as example.com',
    pattern: '.*[.:].*',
    action: 'Grade headers',
    description: "How a site's response headers protect its visitors, with a grade and configuration to improve it",
  },
  certificate: {
    path: '/lookup/certificate',
    title: 'TLS certificate',
    tab: 'Certificate',
    subject: 'certificate',
    nameOf: (typed) => certificateTarget(typed, { ownHosts: [] }).host,
    pattern: '.*[.:].*',
    action: 'Check certificate',
    description: 'Certificate and chain on each address of a host: validity, names, issuer and protocols',
  },
  dns: {
    path: '/lookup/dns',
    title: 'DNS records',
    tab: 'DNS',
    subject: 'DNS records',
    nameOf: nameOfDomain,
    pattern: String.raw`\s*\S+\s*`,
    action: 'Look up DNS records',
    description: 'DNS records of a name, and whether DNSSEC protects them',
  },
  ip: {
    path: '/lookup/ip',
    title: 'IP address',
    tab: 'IP',
    subject: 'location and network',
    nameOf: (typed) => describeQuery(parseQuery(typed)),
    pattern: String.raw`\s*\[?[\dA-Fa-f.:]+\]?\s*`,
    action: 'Look up IP address',
    description: 'Location, ISP and host name of any public IP address',
  },
  'domain-dns': {
    path: '/lookup/domain/dns',
    title: 'DNS of a domain',
    tab: 'DNS',
    subject: 'DNS of the domain',
    nameOf: nameOfDomain,
    pattern: domainPattern,
    action: 'Look up DNS',
    description: 'Addresses, mail servers, name servers, SPF, DMARC and CAA of a domain',
  },
  'domain-address': {
    path: '/lookup/domain/address',
    title: 'Address of a domain',
    tab: 'Address',
    subject: 'address of the domain',
    nameOf: nameOfDomain,
    pattern: domainPattern,
    action: 'Look up address',
    description: 'Location, ISP and host name of the first IP address of a domain',
  },
};

export const lookupPageOf = ({ name }: Pick<Lookup, 'name'>): LookupPage => pages[name as LookupWithPage['name']];
