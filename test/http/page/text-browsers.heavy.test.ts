/** The pages in text browsers, which have neither scripts nor styles: lynx and w3m. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { seenAll } from '../../observed.ts';
import { pageAt, pagePaths } from './page-at.ts';

const browsers = {
  lynx: ['-stdin', '-dump', '-nolist', '-width=200'],
  w3m: ['-T', 'text/html', '-dump', '-cols', '200'],
};

const origins = { publicUrlV4: 'https://v4.seenby.example', publicUrlV6: 'https://v6.seenby.example' };

for (const [command, options] of Object.entries(browsers)) {
  const isMissing = spawnSync(command, ['-version']).error !== undefined;
  const skip = isMissing && !process.env.CI ? `needs the command ${command}` : false;
  const show = (path: string): string => {
    const { stdout, error } = spawnSync(command, options, { input: pageAt(path, seenAll, null, origins) });
    assert.equal(error, undefined);
    return `${stdout}`;
  };

  test(`${command} shows nothing that only a script would finish, on any page`, { skip }, () => {
    for (const path of pagePaths) {
      const shown = show(path);
      assert.match(shown, /Seenby/);
      assert.doesNotMatch(shown, /checking|comparing|querying|loading/i, path);
    }
  });

  test(`${command} separates words`, { skip }, () => {
    const shown = show('/');
    for (const expected of [
      /Docs +Privacy/,
      /Browser +Connection +Fingerprint/,
      /Country +location\.countryName +Norway/,
      /\/ip +(?:\(BUTTON\) )?Copy/,
      /OpenAPI +llms\.txt/,
    ])
      assert.match(shown, expected);
    assert.match(show('/lookup/dns'), /Registration +Grade +Certificate +DNS/);
  });
}
