/** What a trusted proxy sends in a forwarding header and cannot be used, described without the value. */
import { type SettingName, variableOf } from '../../core/settings.ts';

/** Without a client address, the proxy stands for all its clients; without a URL, nothing can respond. */
const kinds = {
  unknown: { hides: 'client', text: 'states that the client is unknown' },
  obfuscated: { hides: 'client', text: 'has an identifier in place of the client address' },
  no_address: { hides: 'client', text: 'has an entry that is no IP address' },
  no_scheme: { hides: 'url', text: 'has another scheme than http, https, ws and wss' },
  no_host: { hides: 'url', text: 'has no valid host' },
  different_hosts: { hides: 'url', text: 'has different hosts' },
} as const;

export interface ForwardingProblem {
  /** Values of the event in the log. */
  readonly problem: { readonly header: string; readonly problem: keyof typeof kinds; readonly setting: string };
  /** For the operator. */
  readonly logLine: string;
  /** For the client whose request is rejected. */
  readonly message: string;
}

/** `header`: its name in lower case. */
export function describeProblem(header: string, problem: keyof typeof kinds): ForwardingProblem {
  const { hides, text } = kinds[problem];
  const name = header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  // The first one selects the header with the address, the other one the proxies whose headers count.
  const setting = variableOf((hides === 'client' ? 'trustProxyHeader' : 'trustProxy') satisfies SettingName);
  const effect = hides === 'client' ? 'the proxy counts as the client' : 'its requests are rejected';
  return {
    problem: { header: name, problem, setting },
    logLine: `${name} of a trusted proxy ${text}, so ${effect}: correct the proxy or ${setting}; see docs/troubleshooting.md`,
    message: `${name} of the proxy in front of this service ${text}; its operator must correct the proxy or ${setting}.`,
  };
}
