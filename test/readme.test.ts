/** The README's tables are those of the lists; `UPDATE_GOLDEN=1` writes them anew. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { errors } from '../src/core/errors.ts';
import { flagOf, settingNames, settings, variableOf } from '../src/core/settings.ts';
import { answerOf } from '../src/http/endpoint.ts';
import { endpoints } from '../src/http/endpoints.ts';
import { mcpClients } from '../src/http/mcp-clients.ts';
import { mcpPath } from '../src/mcp/server-info.ts';

const readme = new URL('../README.md', import.meta.url);

const tables = {
  endpoints: table(
    ['Path', 'Answer', 'Formats'],
    endpoints.map((endpoint) => [`\`${endpoint.path}\``, answerOf(endpoint), Object.keys(endpoint.print).join(', ')]),
  ),
  errors: table(
    ['Status', 'error', 'message'],
    Object.entries(errors).map(([code, { status, message }]) => [String(status), `\`${code}\``, message]),
  ),
  clients: table(
    ['Client', 'Where', 'What to put there'],
    mcpClients.map(({ name, where, hosted, snippet }) => {
      const base = hosted ? 'https://seenby.example' : 'http://localhost:8080';
      return [name, where, `\`${snippet(base + mcpPath)}\``];
    }),
  ),
  settings: table(
    ['Flag', 'Variable', 'Default', ''],
    settingNames.map((name) => {
      const { default: fallback, sentence } = settings[name];
      return [`\`--${flagOf(name)}\``, `\`${variableOf(name)}\``, fallback === '' ? '' : `\`${fallback}\``, sentence];
    }),
  ),
};

for (const [name, expected] of Object.entries(tables)) {
  test(`has the table of ${name} as the list has it`, () => {
    const text = readFileSync(readme, 'utf8');
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
    assert.ok(from >= begin.length && to >= from, `the README has no place for ${name}`);
    if (process.env.UPDATE_GOLDEN) writeFileSync(readme, text.slice(0, from) + expected + text.slice(to));
    else assert.equal(text.slice(from, to), expected);
  });
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
