/** The device model in the User-Agent of an Android browser or app. */

import { isMaker } from '../data/maker-names.ts';

/** Segments of the first comment that are not a model: locales, architectures, web views, placeholders, app builds, Telegram's classes of performance. */
const noModel =
  /^(?:|gzip|\d{1,2}|[A-Za-z]{2}[-_][A-Za-z]{2}|[a-z]{2,3}(?:[-_](?:[A-Z]{2}|[a-z]{2}|[A-Z][a-z]{3}|\d{3}))*[-_]?|U|I|N|K|k|X11|SDK \d+|HIGH|AVERAGE|LOW|wv|Linux|Mobile|Mobile VR|Wear OS|Phone|Tablet|TV|SMART-TV|Touch|HarmonyOS(?: [\d.]+)?|HMSCore[ \d.]*|GMSCore[ \d.]*|rv:[\d.]+|(?:arm|aarch|x86|i\d86|amd)_?\d*\w*|(?:Generic|unknown|null|none|N\/A)|(?:Lite)?[Ww]ebView.*|Windows NT.*|Release\/.*|Ha ?mmer.*|\d+\*\d+|Android(?: [\d.]+)?|scale[:=].*|(?:ExoPlayer\w*|Version)\/.*|Build\/.*|en-?|\d\.\d(?:\.\d+)?[-.].*|Device\/.*)$/;

/** Text after `Android` and its version; the version may be missing, or stand apart as an API level. */
const afterAndroid = /\b(?:Android|Andr0id|Adr|Kepler|Vega)(?:[ /-]?v?\d[^\s;)(,]*(?=[;)\s,]|$)|(?=[;),]|$))/;

/** App formats that name the manufacturer and model apart: Instagram's, and Facebook's. */
const instagram = /\bAndroid \(\d+\/[\d.]+; \d+dpi; \d+x\d+; ([^;/]{1,40})(?:\/[^;]{0,40})?; ([^;]{1,60});/;
const facebookModel = /\bFBDV\/([^;\]]{1,60})/;
const facebookMaker = /\bFBMF\/([^;\]]{1,40})/;

/** `Device/HTC-HTC_Desire_500`, as WhatsApp states them. */
const whatsAppDevice = /\bDevice\/([^\s-]{1,40})-([^\s]{1,60})/;

/** `Google/Pixel 7 Pro Android/13`, as apps state the maker, the model and the system. */
const stated = /(?:^|[\s(;])([A-Za-z]\w{1,20})\/([^/;()]{1,40}) Android\/\d/;

/** Such a statement of a known maker, with its place; null if there is none, or a product's version in place of the model. */
export function statedDevice(text: string) {
  const [whole, maker = '', model = ''] = (text.includes(' Android/') ? stated.exec(text) : null) ?? [];
  return whole !== undefined && isMaker(maker) && !/^[\d.]+$/.test(model) ? { whole, maker, model } : null;
}

/**
 * Returns the model and its maker; null if the User-Agent names no model, as Chrome's reduced one with its placeholder `K`. The maker is as
 * an app states it; null if only the model is there.
 */
export function modelOf(text: string) {
  const [, maker, code] = (text.includes('dpi; ') ? instagram : whatsAppDevice).exec(text) ?? [];
  if (maker !== undefined && code !== undefined) return { model: code, maker };
  const fromFacebook = text.includes('FBDV/') ? facebookModel.exec(text)?.[1] : undefined;
  if (fromFacebook !== undefined) return { model: fromFacebook, maker: facebookMaker.exec(text)?.[1] ?? null };
  const device = statedDevice(text);
  if (device !== null) return { model: device.model, maker: device.maker };
  const match = afterAndroid.exec(text);
  if (match === null) return null;
  for (const segment of segmentsFrom(text, match.index + match[0].length)) {
    // The placeholder of the reduced User-Agent stands for every model.
    if (segment.trim() === 'K') return null;
    const model = modelIn(segment);
    if (model !== null) return { model, maker: null };
  }
  return null;
}

/** `(SM-S911B; Android 15)`: apps may state the model first. */
export const modelBefore = (text: string): string | null =>
  /[(;] ?([^();]{0,40}?\d[^();]{0,40}); (?:U; )?Android[ /]\d/.exec(text)?.[1]?.trim() ?? null;

/** Longer lists are not a first comment. */
const maxSegments = 8;

/** Segments between semicolons up to the end of the comment; parentheses in a model are part of it. */
function segmentsFrom(text: string, from: number): string[] {
  const [comment = ''] = /^(?:[^()]|\([^()]*\))*/.exec(text.slice(from)) ?? [];
  return comment.split(/;(?![^()]*\))/, maxSegments);
}

const buildSuffix =
  /(?:^|\s)(?:Build|HUAWEIBuild|MIUI|Chrome|AppleWebKit|Version)\/.*$|\sBuild\b.*$|Build\/.*$|\)\s*AppleWebKit.*$|\suser\/.*$/s;

function modelIn(segment: string): string | null {
  const model = segment
    .replace(buildSuffix, '')
    .trim()
    .replace(/^[,/]\s*/, '')
    // After a slash, Samsung's first browsers state the firmware.
    .replace(/(\d\w*)\/[\w./-]*$/, '$1')
    .replace(/[\s/_-]+$/, '');
  if (model.startsWith('(') && model.endsWith(')')) return modelIn(model.slice(1, -1));
  if (model.length > 60 || noModel.test(model) || !/[a-z\d]/i.test(model)) return null;
  return model;
}
