/** Each setting is read somewhere: one that nothing reads has a flag, a variable and a description, and no effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingNames } from '../../src/core/settings.ts';
import { assertOnlyKnown, sourceFiles } from '../source-files.ts';

const list = 'src/core/settings.ts';

/** Settings whose only reader is the validation beside the list. */
const onlyValidated = ['acmeTermsAgreed'];

/** Members that code reads of settings, or of a deployment, which is a part of them. */
function* membersReadBy(code: string): Generator<string> {
  for (const [, name = ''] of code.matchAll(/\b(?:settings|deployment)\.(\w+)/gi)) yield name;
  // A destructured variable or parameter, by the name or the type after it.
  for (const [, members = ''] of code.matchAll(/\{([^{};]*)\}\s*[=:]\s*[^;)]*?\b\w*(?:settings|deployment)\b/gi))
    for (const member of members.split(',')) yield member.trim().split(/\W/)[0] ?? '';
  // A table whose values are names of settings.
  for (const [, values = ''] of code.matchAll(/=([^;=]*)\bkeyof Settings\b/g))
    for (const [, name = ''] of values.matchAll(/'(\w+)'/g)) yield name;
}

test('each setting is read by the code that it is for', () => {
  const read = new Set(sourceFiles.flatMap(({ file, code }) => (file === list ? [] : [...membersReadBy(code)])));
  const unread = settingNames.filter((name) => !read.has(name));
  assertOnlyKnown('nothing reads these settings; use or remove them', unread, onlyValidated);
});

test('finds each form in which settings are read, and no mention', () => {
  const code = `const { one, two: other } = settings; f(settings.three); type Text = 'five'; const six = 6; listen({ seven });
export function open({ eight }: Pick<Settings, 'eight'>) {}`;
  assert.deepEqual([...membersReadBy(code)].toSorted(), ['eight', 'one', 'three', 'two']);
});
