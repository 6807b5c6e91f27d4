/** Work that recognition does once, at the first unusual User-Agent: in steps, so that a server can do it before a client waits for it. */
import { isbot } from 'isbot';
import { findCrawler } from './bots/crawlers.ts';
import { browserOf, nameByUapCore } from './browser-name.ts';
import { parserOf } from './ua-parser.ts';
import { parseUserAgent } from './user-agent.ts';

/** Matches no expression, so that every one is compiled. */
const unusual = 'Mozilla/5.0 (Unusual; wv) Unusual/1.0';
const browserLike = 'Mozilla/5.0 (Linux; Android 5.1; Unusual 1) AppleWebKit/537.36 Unusual/1.0';

const steps: readonly (() => unknown)[] = [
  () => parserOf(unusual),
  () => findCrawler(unusual, false, { browser: null, os: null, device: null }),
  () => isbot(unusual),
  () => nameByUapCore(browserOf(null, null), unusual),
  () => parseUserAgent(unusual),
  () => parseUserAgent(browserLike),
];

/** Functions to call in this order, each of which takes some 3 ms. V8 compiles an expression in full when it runs for the second time. */
export const preparations: readonly (() => unknown)[] = [...steps, ...steps];
