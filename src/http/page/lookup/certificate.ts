/** Renders a certificate lookup: verdicts, each certificate with its chain, and the handshake with each address. */

import { describeKey, describeOutcome, describeScts, describeSubject } from '../../../lookups/certificate/findings.ts';
import type {
  AddressHandshake,
  Certificate,
  CertificateCheck,
  SentCertificate,
  Verdict,
} from '../../../lookups/certificate/schema.ts';
import { briefOfCertificates } from '../../../lookups/report.ts';
import { type Fragment, html } from '../markup.ts';
import { linkAddress, linkDomain } from './navigation.ts';
import {
  chip,
  facts,
  type Mark,
  type Result,
  renderCheckItem,
  renderClipped,
  renderList,
  resultTitle,
} from './result.ts';

/** Each of eight addresses can send another one, full of text. */
const maxCertificates = 3;

export function renderCertificates(check: CertificateCheck): Result {
  const { host, port, addresses, moreAddresses, certificates, verdicts } = check;
  const brief = briefOfCertificates(check);
  const name = port === 443 ? host : `${host}, port ${port}`;
  return {
    summary: `Certificate of ${name}: ${brief.join('; ')}`,
    brief,
    content: html`${resultTitle(name, html`${renderClipped(brief.join('; '))}<span class="to-report"> · Report on ${linkDomain(host)}</span>`)}
${certificates.length === 1 ? '' : renderVerdicts(verdicts)}
${certificates.slice(0, maxCertificates).map((certificate, at) => renderCertificate(certificate, { at, common: verdicts, count: certificates.length }))}
${certificates.length > maxCertificates ? html`<p class="small">Certificates only in the JSON: ${certificates.length - maxCertificates}</p>` : ''}
<h4 class="part">Handshakes</h4>
<ul class="hops">${addresses.map((each) => html`<li>${renderHandshake(each)}</li>`)}</ul>
${moreAddresses > 0 ? html`<p class="small">Addresses not tested: ${moreAddresses}</p>` : ''}`,
  };
}

interface Place {
  readonly at: number;
  readonly count: number;
  readonly common: readonly Verdict[];
}

function renderCertificate(certificate: Certificate, { at, count, common }: Place): Fragment {
  const { names, moreNames, notes, chain, moreCertificates, addresses, verdicts } = certificate;
  const [first] = chain;
  if (first === undefined) throw new TypeError('a chain has a certificate');
  return html`${
    count > 1
      ? html`<h4 class="part">Certificate ${at + 1} of ${count}</h4>
<p class="small">Sent by ${addresses.join(', ')}</p>`
      : ''
  }
${renderVerdicts(count === 1 ? [...verdicts, ...common] : verdicts)}
${renderList(notes, 'hints', (note) => html`${chip('note')} ${renderClipped(note)}`) ?? ''}
<h4 class="part">Fields</h4>
${facts([
  ['Subject', describeSubject(first)],
  [`Names${moreNames > 0 ? ` (${names.length + moreNames})` : ''}`, names.join(', ')],
  ['Issuer', first.issuer],
  ['Valid', html`${formatMinute(first.notBefore)} to ${formatMinute(first.notAfter)} UTC`],
  ['Left', certificate.daysLeft < 0 ? 'expired' : `${certificate.daysLeft} of ${certificate.lifetimeDays} days`],
  ['Key', describeKey(first)],
  ['Signature', first.signatureAlgorithm],
  ['Serial number', mono(first.serialNumber)],
  ['SHA-256', mono(first.fingerprint)],
  ['Embedded SCTs', describeScts(certificate)],
])}
<h4 class="part">Chain as sent</h4>
<ol class="hops">${chain.map(
    (each) =>
      html`<li>${renderClipped(describeSubject(each), maxChainText)}<p class="small">issued by ${renderClipped(each.issuer, maxChainText)}, ${renderClipped(describeSent(each), maxChainText)}</p></li>`,
  )}${moreCertificates > 0 ? html`<li class="none">and ${moreCertificates} more</li>` : ''}</ol>`;
}

const maxChainText = 120;

const describeSent = (sent: SentCertificate): string =>
  [`until ${sent.notAfter.slice(0, 10)}`, describeKey(sent), sent.signatureAlgorithm]
    .filter((part) => part !== null)
    .join(', ');

const mono = (text: string): Fragment => html`<code>${renderClipped(text)}</code>`;

const formatMinute = (time: string): string => time.slice(0, 16).replace('T', ' ');

const renderVerdicts = (verdicts: readonly Verdict[]): Fragment =>
  html`<ul class="checks">${verdicts
    .toSorted((one, other) => marks.indexOf(markOf(one)) - marks.indexOf(markOf(other)))
    .map((verdict) =>
      renderCheckItem(markOf(verdict), verdict.title, { content: html`<p>${renderClipped(verdict.reason)}</p>` }),
    )}</ul>`;

/** In the order in which they are shown. */
const marks: readonly Mark[] = ['failed', 'unknown', 'passed'];

const markOf = ({ value }: Verdict): Mark => (value === null ? 'unknown' : value ? 'passed' : 'failed');

function renderHandshake(handshake: AddressHandshake): Fragment {
  const { address, outcome, protocol, cipher, group, alpn, elapsedMs, fingerprint } = handshake;
  const certificate = fingerprint === null ? null : `certificate ${fingerprint.slice(0, 11)}…`;
  const parts = [protocol, cipher, group, alpn, `${elapsedMs} ms`, certificate].filter((part) => part !== null);
  const problem = outcome === 'ok' ? '' : html` ${chip(describeOutcome(handshake), 'bad')}`;
  return html`${linkAddress(address)}${problem}<p class="small">${renderClipped(parts.join(' · '))}</p>`;
}
