/** The section with the test of DNS and WebRTC, which the browser script runs on request. */

import type { Probes, RequestContext } from '../../../core/request-context.ts';
import { escapeControls, joinKnown } from '../../../core/text.ts';
import { nameCount, type OwnNetwork } from '../../../probes/resolvers.ts';
import { command, needsScript } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';

/** The values that the script needs. */
export interface TestSubject extends Pick<Probes, 'dns' | 'stun'> {
  readonly own: OwnNetwork;
}

/** The title of the section; null if there is nothing to test. */
export function testTitle(probes: Probes | undefined): string | null {
  const parts = [probes?.dns && 'DNS', probes?.stun && 'WebRTC'].filter((part) => typeof part === 'string');
  return parts.join(' and ') || null;
}

export function testCard({ observed, deployment: { probes } }: RequestContext): Fragment {
  const { dns = null, stun = null } = probes ?? {};
  const { asn, asOrganization } = observed.autonomousSystem;
  const subject: TestSubject = { dns, stun, own: { ip: observed.ip, asn, asOrganization } };
  const shows = [dns && 'Which resolver answers your DNS queries', stun && 'which address WebRTC shows'];
  const sends = [
    dns &&
      `resolves ${nameCount} names (${2 * nameCount} if it does not prefetch), for which your resolver sends 20 to 80 queries`,
    stun && 'sends STUN requests over UDP',
  ];
  return html`<p class="lead">${capitalize(joinParts(shows))}.</p>
<div class="test" data-test="${escapeControls(JSON.stringify(subject))}">
<p class="start only-js"><button type="button" class="run">Run the test</button> <span class="small">Nothing is sent before you press the button. Then your browser ${joinParts(sends)}. Nothing is stored.</span></p>
${dns === null ? needsScript : html`<div class="no-js"><p>Without scripts, this command shows your resolver:</p>${command(`dig +short whoami.${dns.zone} TXT`, 'the command for your resolver')}</div>`}
<div class="card result"></div></div>`;
}

const joinParts = (parts: readonly (string | null)[]): string => joinKnown(parts, ', and ') ?? '';

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
