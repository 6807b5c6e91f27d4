/** The machine that the comment of a common browser states: OS, device and CPU. */
import { commonSystems } from './data/stated-names.ts';
import { androidDevice } from './device/device.ts';
import { unfrozenVersion } from './os.ts';
import type { UserAgent } from './user-agent-schema.ts';

export type Machine = Pick<UserAgent, 'os' | 'device' | 'cpu'>;

const desktop = { type: 'desktop', vendor: null, model: null, name: null } as const;
const mac = { type: 'desktop', vendor: 'Apple', model: 'Macintosh', name: null } as const;
const amd64 = { architecture: 'amd64' };
const unknownCpu = { architecture: null };

const machines: ReadonlyMap<string, Machine> = new Map(
  commonSystems.map(([comment, name, version]) => [comment, { os: { name, version }, device: desktop, cpu: amd64 }]),
);

const macOs = /^Macintosh; Intel Mac OS X (\d{2}[._]\d{1,2}(?:[._]\d{1,2})?)$/;
const ios = /^(?:(iPhone); CPU iPhone OS|iPad; CPU OS) (\d{1,2}(?:_\d{1,2}){1,2}) like Mac OS X$/;
/** The model of a phone is free text. The full parser takes 32 and 64 for architectures. */
const androidComment = /^Linux; (?:U; )?Android ([12]?\d(?:\.\d{1,2}){0,2})(?:; ([\w .,+/()-]{1,90}))?(?:; wv)?$/;
/** What is not a browser on a phone, although its model is free text. */
const namesOther = /bot|crawl|spider|http|compatible|headless|fetch|preview|scan|monitor/i;

export const firefoxOnAndroid = (version: string, form: string | undefined): Machine => ({
  os: { name: 'Android', version },
  device: { type: form === 'Mobile' ? 'mobile' : 'tablet', vendor: null, model: null, name: null },
  cpu: unknownCpu,
});

export function machineOf(comment: string): Machine | null {
  const known = machines.get(comment);
  if (known !== undefined) return known;
  const version = macOs.exec(comment)?.[1]?.replaceAll('_', '.');
  return version === undefined ? null : { os: { name: 'Mac OS', version }, device: mac, cpu: unknownCpu };
}

/** Models that also determine the OS or the CPU, so that the full parser must run. */
const specialModel = /(?:^|; )(?:AFT|KF[A-Z]|AEO)|Chromebook|x86|x64|arm|aarch|amd|i\d86|ia32|ppc|mips|sparc|avr|irix/i;

export function androidMachine(comment: string, isMobile: boolean): Machine | null {
  const [, version = '', model = ''] = androidComment.exec(comment) ?? [];
  if (version === '') return null;
  const os = { name: 'Android', version };
  const byForm = isMobile ? 'mobile' : 'tablet';
  if (model === 'K') return { os, device: { type: byForm, vendor: null, model: null, name: null }, cpu: unknownCpu };
  if (specialModel.test(model) || namesOther.test(model)) return null;
  const { type, ...device } = androidDevice(comment);
  return { os, device: { type: type ?? byForm, ...device }, cpu: unknownCpu };
}

export function iosMachine(raw: string, comment: string): Machine | null {
  const [, phone, version] = ios.exec(comment) ?? [];
  if (version === undefined) return null;
  return {
    os: { name: 'iOS', version: unfrozenVersion(version.replaceAll('_', '.'), raw) },
    device: { type: phone ? 'mobile' : 'tablet', vendor: 'Apple', model: phone ?? 'iPad', name: null },
    cpu: unknownCpu,
  };
}
