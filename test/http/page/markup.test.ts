/** Markup of template literals: whatever is interpolated stays text; Hono's template decides what the markup is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { html as honoHtml, raw as honoRaw } from 'hono/html';
import { html, raw } from '../../../src/http/page/markup.ts';
import { check, textOf } from '../../random.ts';

const text = textOf(['<', '>', '&', '"', "'", '&lt;', '<script>', 'é', '\u0000', '\u{1f600}', 'abc', ' '], 8);

/** What an expression in a template may be; a pair stands for markup that contains another value. */
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.constantFrom(true, false, null, undefined),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ inner: tie('value') }),
  ),
})).value;

type Template = (strings: TemplateStringsArray, ...values: never[]) => unknown;

function build(node: unknown, template: Template): never {
  if (Array.isArray(node)) return node.map((each) => build(each, template)) as never;
  if (typeof node !== 'object' || node === null) return node as never;
  return template`<p title="${build((node as { inner: unknown }).inner, template)}">${build('&', template)}</p>` as never;
}

test('renders the same markup as another template', () => {
  check(20_000, value, (node) => {
    const own = `${(html as Template)`<div>${build(node, html as Template)}</div>`}`;
    assert.equal(own, `${(honoHtml as Template)`<div>${build(node, honoHtml as Template)}</div>`}`);
  });
});

test('no text ends its element or its attribute', () => {
  check(20_000, text, (each) => {
    const [, attribute = '', content = ''] =
      /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(`${html`<p title="${each}">${each}</p>`}`) ?? [];
    const read = (markup: string) =>
      markup.replaceAll(
        /&(#39|[a-z]+);/g,
        (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as 'lt'],
      );
    assert.deepEqual([read(attribute), read(content)], [each, each]);
  });
});

test('an object that only looks like markup is none', () => {
  for (const forged of [{ isEscaped: true, toString: () => '<br>' }, { markup: '<br>' }])
    assert.throws(() => html`${forged as never}`);
  assert.equal(`${html`${raw('<br>')}${honoRaw('<br>') as never}`}`, '<br>&lt;br&gt;');
});
