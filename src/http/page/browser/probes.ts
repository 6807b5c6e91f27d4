/** Entry point of the script of the start page that tests DNS and WebRTC on request, and checks ports of the visitor's address. */
import { isPublicAddress, parseAddress } from '../../../core/address.ts';
import { type Finding, summarize } from '../../../probes/finding.ts';
import { describeResolvers, maxTestMs, summarizeResolvers } from '../../../probes/resolvers.ts';
import { describeWebRtc } from '../../../probes/webrtc.ts';
import type { TestSubject } from '../home/probes.ts';
import { announce, createElement, renderUntrusted } from './elements.ts';
import { gatherCandidates } from './ice.ts';
import { enablePortCheck } from './port-check.ts';
import { observeResolvers } from './resolver-exchange.ts';

enablePortCheck();
enableTest();

function enableTest(): void {
  const card = document.querySelector<HTMLElement>('[data-test]');
  const button = card?.querySelector<HTMLElement>('.run');
  const result = card?.querySelector<HTMLElement>('.result');
  if (!card || !button || !result) return;
  const subject = JSON.parse(card.dataset.test ?? '') as TestSubject;
  button.addEventListener('click', async () => {
    // aria-disabled, because disabled would take the keyboard focus away.
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    showProgress(result);
    const { findings, values, overview } = await runTest(subject);
    result.replaceChildren(renderFindings(findings), ...renderValues(values));
    showInOverview(overview);
    announce(summarize(findings));
    button.replaceChildren('Run again');
    button.ariaDisabled = null;
  });
}

function showProgress(result: HTMLElement): void {
  const bar = createElement('progress', { 'aria-label': 'Test in progress' });
  result.replaceChildren(createElement('p', {}, `Testing\u2026 at most ${maxTestMs / 1000} seconds.`), bar);
  announce('Testing.');
}

interface Outcome {
  readonly findings: readonly Finding[];
  /** The observed values, by part of the test. */
  readonly values: readonly (readonly [part: string, value: object])[];
  /** The text of the first screen about resolvers; null if they were not tested. */
  readonly overview: string | null;
}

/** Runs both parts concurrently; if one fails, the other still has a result. */
async function runTest({ dns, stun, own }: TestSubject): Promise<Outcome> {
  const signal = AbortSignal.timeout(maxTestMs);
  const [resolvers, gathering] = await Promise.all([
    dns && observeResolvers(dns.zone, signal),
    stun && gatherCandidates(stun, signal),
  ]);
  const findings: Finding[] = [];
  const values: [part: string, value: object][] = [];
  let overview: string | null = null;
  if (resolvers !== null && 'problem' in resolvers) {
    overview = 'Not tested';
    findings.push({ label: 'Resolver', text: overview, detail: resolvers.problem });
  } else if (resolvers !== null) {
    overview = summarizeResolvers(resolvers, own);
    findings.push(...describeResolvers(resolvers, own));
    values.push(['dns', resolvers]);
  }
  if (gathering !== null) values.push(['webRtc', gathering]);
  if (stun !== null) {
    const addresses = [own.ip, await otherAddress(signal)].filter((ip) => ip !== null);
    findings.push(...describeWebRtc(gathering, { own: addresses, host: stun.host }));
  }
  return { findings, values, overview };
}

/** The address of the other IP version, when the first screen has requested it; null if it shows none. The signal ends the wait. */
async function otherAddress(signal: AbortSignal): Promise<string | null> {
  const block = document.querySelector<HTMLElement>('[data-own]');
  if (block === null) return null;
  if (block.dataset.otherIp === undefined && !signal.aborted)
    await new Promise((resolve) => {
      block.addEventListener('checked', resolve);
      signal.addEventListener('abort', resolve);
    });
  return block.dataset.otherIp || null;
}

const renderFindings = (findings: readonly Finding[]): Element =>
  createElement('dl', { class: 'facts' }, ...findings.flatMap(renderFinding));

function renderFinding({ label, text, detail, addresses = [] }: Finding): Element[] {
  const listed = addresses.flatMap((ip, n) => [n === 0 ? '' : ', ', renderAddress(ip)]);
  const small = createElement('p', { class: 'small' }, ...(detail === '' ? [] : [renderUntrusted(detail)]));
  const parts = [
    createElement('b', {}, renderUntrusted(text)),
    createElement('p', { class: 'mono' }, ...listed),
    small,
  ];
  const shown = parts.filter(({ textContent }) => textContent !== '');
  return [createElement('dt', {}, label), createElement('dd', {}, ...shown)];
}

/** A public address links to its lookup. */
function renderAddress(ip: string): Element {
  const address = parseAddress(ip);
  if (address === null || !isPublicAddress(address)) return renderUntrusted(ip);
  return createElement('a', { href: `/lookup/ip?${new URLSearchParams({ q: ip })}` }, ip);
}

function renderValues(values: Outcome['values']): Element[] {
  if (values.length === 0) return [];
  const text = createElement('pre', { tabindex: '0', role: 'region', 'aria-label': 'All values' });
  text.textContent = JSON.stringify(Object.fromEntries(values), null, 2);
  const copy = createElement(
    'button',
    { type: 'button', class: 'copy quiet', 'aria-label': 'Copy all values' },
    'Copy',
  );
  return [createElement('details', { class: 'raw' }, createElement('summary', {}, 'All values'), text, copy)];
}

/** One row of the first screen. */
function showInOverview(text: string | null): void {
  const rows = document.querySelector('.overview .facts');
  if (text === null || rows === null) return;
  rows.querySelector('.tested')?.remove();
  const link = createElement('a', { href: '#test' }, renderUntrusted(text));
  rows.append(
    createElement('div', { class: 'tested' }, createElement('dt', {}, 'Resolver'), createElement('dd', {}, link)),
  );
}
