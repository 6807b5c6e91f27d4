/** The tables in the documents equal the lists in the code, and links lead somewhere; `UPDATE_GOLDEN=1` rewrites the tables. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { logEvents } from '../src/core/data/log-events.ts';
import { errors } from '../src/core/errors.ts';
import { metricList } from '../src/core/metrics.ts';
import { settingNames, settings, variableOf } from '../src/core/settings.ts';
import { type Endpoint, exampleOf, formatsOf } from '../src/http/endpoint.ts';
import { endpoints } from '../src/http/endpoints.ts';
import { mediaTypes } from '../src/http/negotiate.ts';
import { mcpClients } from '../src/http/page/data/mcp-clients.ts';
import { mcpPath } from '../src/mcp/server-info.ts';
import { tools } from '../src/mcp/tools.ts';
import { attackHeadings, attackRows, stageHeadings, stages } from './abuse/attack-table.ts';
import { boundList, unlisted } from './abuse/bound-table.ts';
import { clientRows } from './dialects/client-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Endpoints of the first table; the others are pages, and files that programs find themselves. */
const isRequestedDirectly = ({ kind }: Endpoint): boolean => !['page', 'dialect', 'document', 'probe'].includes(kind);

/** A path as a client sends it: with an example for its parameter, and each option's default. */
function requestOf(endpoint: Endpoint): string {
  const { path, lookup } = endpoint;
  if (lookup === undefined) return exampleOf(endpoint);
  const { parameter, options } = lookup;
  const pairs = [[parameter.name, parameter.example], ...options.map(({ name, values: [first] }) => [name, first])];
  return `${path}?${pairs.map((pair) => pair.join('=')).join('&')}`;
}

/** The generated tables and lists of each page, by the name in the comments around them. */
const pages = {
  'docs/endpoints.md': {
    endpoints: list(
      endpoints
        .filter(isRequestedDirectly)
        .map((endpoint) => [requestOf(endpoint), formatsOf(endpoint), endpoint.summary]),
    ),
    files: list(
      endpoints
        .filter((endpoint) => !isRequestedDirectly(endpoint) && endpoint.kind !== 'dialect')
        .map((endpoint) => [endpoint.path, formatsOf(endpoint).map((format) => mediaTypes[format]), endpoint.summary]),
    ),
  },
  'docs/errors.md': {
    errors: list(Object.entries(errors).map(([error, { status, message }]) => [error, [String(status)], message])),
  },
  'docs/compatibility.md': {
    clients: clientRows
      .map(({ client, where, write, program }) => {
        const tested = program === null ? '' : `, tested with ${program}`;
        return `- ${client}, ${where}: ${code(write)}${tested}\n`;
      })
      .join(''),
  },
  'docs/mcp.md': {
    tools: table(
      ['Tool', 'Purpose'],
      tools.map(({ name, title }) => [`\`${name}\``, title]),
    ),
    clients: table(
      ['Client', 'Where', 'Configuration', 'Tried'],
      mcpClients.map(({ name, where, isHosted, tried, snippet }) => {
        const base = isHosted ? 'https://seenby.example' : 'http://localhost:8080';
        return [name, where, `\`${snippet(base + mcpPath)}\``, tried ?? "no: from the vendor's documentation"];
      }),
    ),
  },
  'docs/operations.md': {
    metrics: list(
      Object.entries(metricList).map(([name, { type, labels, help }]) => [name, [type, ...labels.map(code)], help]),
    ),
    'log events': (['error', 'warn', 'info'] as const)
      .map((level) => {
        const rows = Object.entries(logEvents).filter(([, event]) => event.level === level);
        const lines = list(rows.map(([event, { fields, meaning }]) => [event, fields.map(code), meaning]));
        return `\n**Level ${level}:**\n\n${lines}`;
      })
      .join(''),
  },
  'SECURITY.md': {
    stages: table(stageHeadings, stages),
    attacks: table(attackHeadings, attackRows),
    bounds: boundList,
  },
  'docs/configuration.md': {
    settings: list(
      settingNames.map((name) => {
        const { default: fallback, description, value } = settings[name];
        const inDefault = fallback === '' ? [] : [`default ${code(fallback)}`];
        return [variableOf(name), [value.replaceAll('|', ' or '), ...inDefault], description];
      }),
    ),
  },
};

for (const [page, tables] of Object.entries(pages)) {
  for (const [name, expected] of Object.entries(tables)) {
    test(`${page} has the part about ${name} from the list`, () => {
      const file = join(root, page);
      const text = readFileSync(file, 'utf8');
      const begin = `<!-- ${name} -->\n`;
      const end = `<!-- /${name} -->`;
      const from = text.indexOf(begin) + begin.length;
      const to = text.indexOf(end);
      assert.ok(from >= begin.length && to >= from, `${page} has no place for ${name}`);
      if (process.env.UPDATE_GOLDEN) writeFileSync(file, text.slice(0, from) + expected + text.slice(to));
      else assert.ok(text.slice(from, to) === expected, `${page}: ${name} are stale: UPDATE_GOLDEN=1 npm run check`);
    });
  }
}

test('each bound that answers an attack has a concept', () => {
  assert.deepEqual(unlisted, []);
});

test('CONTRIBUTING lists the files of its example of a new field', () => {
  const [, table = ''] =
    /^\*\*A new field[\s\S]*?\n((?:\|.*\n)+)/m.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? [];
  const listed = [...table.matchAll(/^\| `(.*?)`/gm)].map(([, file]) => file);
  const files = globSync(['src/**/*.ts', 'docs/**/*.md', 'test/**/*.ts'], { cwd: root });
  const having = files.filter((file) =>
    /\brequestNumber\b|[`/*]\W?http\.connection\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  const own = 'test/documentation.test.ts';
  assert.deepEqual(
    having
      .map((file) => file.replaceAll(sep, '/'))
      .filter((file) => file !== own)
      .sort(),
    listed.toSorted(),
  );
});

const allPages = globSync(['*.md', '{docs,src,test,tools,bench,deploy}/**/*.md'], { cwd: root });

/** Counts as `wc -w` does. */
const wordsIn = (page: string): number => (readFileSync(join(root, page), 'utf8').match(/\S+/g) ?? []).length;

test('README.md has at most 1,200 words', () => {
  const words = wordsIn('README.md');
  assert.ok(words <= 1200, `${words}: leave to the page of its subject what a newcomer does not need`);
});

test('all documents but the changelog have at most 32,000 words', () => {
  const words = allPages.filter((page) => page !== 'CHANGELOG.md').reduce((sum, page) => sum + wordsIn(page), 0);
  assert.ok(words <= 32_000, `${words}: state each fact once, and leave out what the code or a test says`);
});

test('every link between the pages leads to a file and a heading', () => {
  assert.ok(allPages.length >= 10);
  for (const file of allPages) {
    for (const [, link = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:\]\(|src(?:set)?=")(?!https?:)([^)"]*)/g,
    )) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? join(root, file) : join(root, dirname(file), path);
      assert.ok(existsSync(target), `${file}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), `${file}: ${link}`);
    }
  }
});

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

function code(name: string): string {
  return `\`${name}\``;
}

/** Lines of a name, what is stated about it in parentheses, and its meaning. */
function list(rows: readonly (readonly [name: string, notes: readonly string[], meaning: string])[]): string {
  const lines = rows.map(([name, notes, meaning]) => {
    const inParentheses = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
    return `- ${code(name)}${inParentheses}: ${meaning}\n`;
  });
  return lines.join('');
}
