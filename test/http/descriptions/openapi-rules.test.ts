/** The OpenAPI description follows the rules of common tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { siteOf } from '../../request-context.ts';
import { contacts, dialectsDocument, document, generate } from './openapi-documents.ts';

test('it passes the recommended rules of Spectral and of Redocly', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });
  const config = await createConfig({ extends: ['recommended'] });
  for (const contact of contacts) {
    const described = generate(siteOf({ contact }).deployment);
    assert.deepEqual(await linter.run(described), []);
    assert.deepEqual(await lintFromString({ source: JSON.stringify(described), config }), []);
  }
  assert.deepEqual(await linter.run(dialectsDocument), []);
  assert.deepEqual(await lintFromString({ source: JSON.stringify(dialectsDocument), config }), []);
  // Both linters find what is wrong.
  const { title: _, ...info } = document.info;
  assert.notDeepEqual(await linter.run({ ...document, info }), []);
  assert.notDeepEqual(await lintFromString({ source: JSON.stringify({ ...document, info }), config }), []);
});
