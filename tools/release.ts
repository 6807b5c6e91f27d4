/** Steps of a release that need no network: node tools/release.ts check v1.3.0 | notes | checksums FILE… */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { version }: { readonly version: string } = JSON.parse(read('package.json'));

/** The section of the changelog about a version; throws an Error if there is none. */
export function releaseNotes(changelog: string, ofVersion: string): string {
  const section = changelog.split(/^## /m).find((each) => each.split('\n')[0] === ofVersion);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${ofVersion}"`);
  return `${section.slice(ofVersion.length).trim()}\n`;
}

/** Lines that `sha256sum --check` reads. */
export const checksums = (files: readonly string[]): string =>
  files.map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`).join('');

if (import.meta.main) {
  const [step, ...args] = process.argv.slice(2);
  if (step === 'notes') process.stdout.write(releaseNotes(read('CHANGELOG.md'), version));
  else if (step === 'checksums' && args.length > 0) process.stdout.write(checksums(args));
  else if (step === 'check') {
    if (args[0] !== `v${version}`) throw new Error(`the tag is "${args[0]}", and package.json has version ${version}`);
    releaseNotes(read('CHANGELOG.md'), version);
  } else throw new Error('usage: node tools/release.ts check TAG | notes | checksums FILE…');
}
