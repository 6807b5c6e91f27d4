/** Images of the icon for clients that do not support SVG. */
import { favicon, touchIcon } from './generated/icons.ts';

/** Decoded with atob, which every runtime has; Uint8Array.fromBase64 is missing before Node 25. */
const decode = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** ICO file with 16, 32 and 48 pixels. */
export const faviconBytes = decode(favicon);

/** PNG file with 180 pixels on white, because iOS shows transparency as black. */
export const touchIconBytes = decode(touchIcon);
