/** A shortcut for the reduced User-Agents of Chrome, Edge, Firefox and Safari, which vary in nothing but a few numbers. */
import type { UserAgent } from './user-agent-schema.ts';

type Platform = Pick<UserAgent, 'os' | 'device' | 'cpu'>;

const desktop = { type: 'desktop', vendor: null, model: null } as const;
const mac = { type: 'desktop', vendor: 'Apple', model: 'Macintosh' } as const;
const amd64 = { architecture: 'amd64' };
const unsaid = { architecture: null };

/** https://www.chromium.org/updates/ua-reduction/ */
const chromiumPlatforms: ReadonlyMap<string, Platform> = new Map([
  ['Windows NT 10.0; Win64; x64', { os: { name: 'Windows', version: '10' }, device: desktop, cpu: amd64 }],
  ['Macintosh; Intel Mac OS X 10_15_7', { os: { name: 'Mac OS', version: '10.15.7' }, device: mac, cpu: unsaid }],
  ['X11; Linux x86_64', { os: { name: 'Linux', version: null }, device: desktop, cpu: amd64 }],
  ['X11; CrOS x86_64 14541.0.0', { os: { name: 'Chromium OS', version: '14541.0.0' }, device: desktop, cpu: amd64 }],
  ['Linux; Android 10; K', { os: { name: 'Android', version: '10' }, device: desktop, cpu: unsaid }],
]);

/** https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/User-Agent/Firefox */
const firefoxPlatforms: ReadonlyMap<string, Platform> = new Map([
  ['Windows NT 10.0; Win64; x64', { os: { name: 'Windows', version: '10' }, device: desktop, cpu: amd64 }],
  ['Macintosh; Intel Mac OS X 10.15', { os: { name: 'Mac OS', version: '10.15' }, device: mac, cpu: unsaid }],
  ['X11; Linux x86_64', { os: { name: 'Linux', version: null }, device: desktop, cpu: amd64 }],
  ['X11; Ubuntu; Linux x86_64', { os: { name: 'Ubuntu', version: null }, device: desktop, cpu: amd64 }],
]);

const chromium =
  /^Mozilla\/5\.0 \(([\w .;]{10,40})\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/(\d{2,3})\.0\.0\.0 (Mobile )?Safari\/537\.36(?: EdgA?\/(\d{2,3})\.0\.0\.0)?$/;
const firefox = /^Mozilla\/5\.0 \(([\w .;]{10,40}); rv:(\d{2,3}\.0)\) Gecko\/20100101 Firefox\/(\d{2,3})\.0$/;
const firefoxAndroid =
  /^Mozilla\/5\.0 \(Android (\d{1,2}); (Mobile|Tablet); rv:(\d{2,3}\.0)\) Gecko\/\d{2,3}\.0 Firefox\/(\d{2,3})\.0$/;
const safari =
  /^Mozilla\/5\.0 \(Macintosh; Intel Mac OS X 10_15_7\) AppleWebKit\/605\.1\.15 \(KHTML, like Gecko\) Version\/(\d{2})(\.[\d.]{1,6}) Safari\/605\.1\.15$/;
const ios =
  /^Mozilla\/5\.0 \((?:(iPhone); CPU iPhone OS|iPad; CPU OS) (\d{2})_(\d{1,2})(_\d{1,2})? like Mac OS X\) AppleWebKit\/605\.1\.15 \(KHTML, like Gecko\) (Version|CriOS|FxiOS)\/(\d{2,3})(\.[\d.]{1,12}) Mobile\/15E148 Safari\/604\.1$/;

/** What `parseUserAgent` would find, or null where the User-Agent is not one of the templates. */
export function frozenUserAgent(raw: string): UserAgent | null {
  if (raw.length > 200) return null;
  return raw.includes('Chrome/') ? chrome(raw) : raw.includes('Gecko/') ? gecko(raw) : apple(raw);
}

function chrome(raw: string): UserAgent | null {
  const match = chromium.exec(raw);
  const platform = match && chromiumPlatforms.get(match[1] ?? '');
  if (!platform) return null;
  const [, , chrome = '', mobile, edge] = match;
  const { os, cpu } = platform;
  const android = os.name === 'Android';
  if (mobile !== undefined && !android) return null;
  const device = android
    ? { type: mobile ? ('mobile' as const) : ('tablet' as const), vendor: null, model: null }
    : platform.device;
  const browser = edge === undefined ? reduced('Chrome', chrome) : reduced('Edge', edge);
  return browserOf(raw, browser, { name: 'Blink', version: `${chrome}.0.0.0` }, { os, device, cpu });
}

function reduced(name: string, major: string): UserAgent['browser'] {
  return { name, version: `${major}.0.0.0`, major };
}

function gecko(raw: string): UserAgent | null {
  const match = firefox.exec(raw);
  if (match === null) return geckoAndroid(raw);
  const platform = firefoxPlatforms.get(match[1] ?? '');
  if (!platform) return null;
  const [, , rv = '', major = ''] = match;
  return browserOf(raw, { name: 'Firefox', version: `${major}.0`, major }, { name: 'Gecko', version: rv }, platform);
}

function geckoAndroid(raw: string): UserAgent | null {
  const match = firefoxAndroid.exec(raw);
  if (match === null) return null;
  const [, version = '', form, rv = '', major = ''] = match;
  return browserOf(
    raw,
    { name: 'Firefox', version: `${major}.0`, major },
    { name: 'Gecko', version: rv },
    {
      os: { name: 'Android', version },
      device: { type: form === 'Mobile' ? 'mobile' : 'tablet', vendor: null, model: null },
      cpu: unsaid,
    },
  );
}

function apple(raw: string): UserAgent | null {
  const engine = { name: 'WebKit', version: '605.1.15' };
  const onMac = safari.exec(raw);
  if (onMac !== null) {
    const [, major = '', minor = ''] = onMac;
    const os = { name: 'Mac OS', version: '10.15.7' };
    return browserOf(raw, { name: 'Safari', version: major + minor, major }, engine, { os, device: mac, cpu: unsaid });
  }
  const match = ios.exec(raw);
  if (match === null) return null;
  const [, phone, system = '', minor = '', patch = '', product = '', major = '', rest = ''] = match;
  const frozen = system === '18' && product === 'Version' && Number(major) >= 26;
  const names: Record<string, string> = { Version: 'Mobile Safari', CriOS: 'Chrome', FxiOS: 'Firefox' };
  return browserOf(raw, { name: names[product] ?? null, version: major + rest, major }, engine, {
    os: { name: 'iOS', version: frozen ? major + rest : `${system}.${minor}${patch.replace('_', '.')}` },
    device: { type: phone ? 'mobile' : 'tablet', vendor: 'Apple', model: phone ?? 'iPad' },
    cpu: unsaid,
  });
}

/** Every member is the caller's own to change. */
function browserOf(
  raw: string,
  browser: UserAgent['browser'],
  engine: UserAgent['engine'],
  { os, device, cpu }: Platform,
): UserAgent {
  return { raw, browser, engine, os: { ...os }, device: { ...device }, cpu: { ...cpu }, kind: 'browser', bot: null };
}
