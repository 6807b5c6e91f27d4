/** The table of fingerprints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprints } from '../../../../src/http/page/data/fingerprints.ts';
import { fingerprintGuide } from '../../../../src/http/page/documents/fingerprint-guide.ts';

test('each row names its values once, separated by commas, with a link to their definition if there is one', () => {
  const cells = [...`${fingerprintGuide}`.matchAll(/<(?:td|th scope="row")[^>]*>(.*?)<\/t[dh]>/g)].map(
    ([, cell]) => cell,
  );
  for (const [row, { names, definedBy, url }] of fingerprints.entries()) {
    const [values, definition] = cells.slice(4 * row);
    assert.equal(values, names.map((name) => `<code>${name}</code>`).join(', '));
    assert.equal(definition?.includes(`<a href="${url}">`), url !== undefined);
    assert.equal(definition?.replace(/<[^>]+>/g, ''), definedBy);
  }
});
