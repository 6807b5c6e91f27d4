/** Regenerates every generated file: `npm run generate`. test/generated.test.ts names stale files. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assets } from './assets.ts';
import { crawlers } from './crawlers.ts';
import { devices } from './devices.ts';
import { icons } from './icons.ts';
import { programs } from './programs.ts';
import { regions } from './regions.ts';
import { uaParserLiterals } from './ua-parser.ts';
import { uapCoreBrowsers } from './uap-core.ts';
import { worldMap } from './world.ts';

export interface Generated {
  /** Below the project's folder. */
  readonly path: string;
  readonly content: () => string | Promise<string>;
}

export const generated: readonly Generated[] = [
  { path: 'src/client/data/generated/crawlers.ts', content: crawlers },
  { path: 'src/client/data/generated/uap-core-browsers.ts', content: uapCoreBrowsers },
  { path: 'src/edges/node/geoip/generated/regions.ts', content: regions },
  { path: 'src/client/data/generated/ua-parser-literals.ts', content: uaParserLiterals },
  { path: 'src/edges/node/generated/devices.txt', content: devices },
  { path: 'src/http/generated/icons.ts', content: icons },
  { path: 'src/http/page/generated/assets.ts', content: assets },
  { path: 'src/http/page/generated/programs.ts', content: programs },
  { path: 'src/http/page/generated/world.ts', content: worldMap },
];

export const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

if (import.meta.main) {
  for (const { path, content } of generated) {
    const text = await content();
    const isStale = !existsSync(fileOf(path)) || readFileSync(fileOf(path), 'utf8') !== text;
    if (isStale) writeFileSync(fileOf(path), text);
    process.stdout.write(`${isStale ? 'wrote' : 'unchanged'} ${path}\n`);
  }
}
