/** Builds the light library in build/light: a file for each entry point and what they share, with the dependencies inside; types; licenses. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';
import { UserAgent } from '../src/client/user-agent-schema.ts';
import { DnsRecord } from '../src/lookups/dns/schema.ts';
import { Grade } from '../src/lookups/headers-check/schema.ts';
import { RdapResult } from '../src/lookups/rdap/schema.ts';
import { HeaderTraits } from '../src/traits/header-traits.ts';
import { licensesOf } from './licenses.ts';
import { nodeCheck } from './node-check.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

type Schema = z.core.JSONSchema.JSONSchema;

/** A TypeScript type for the parts of JSON Schema that our schemas use; throws for every other. */
function typeOf(schema: Schema): string {
  const { $ref, anyOf, type, items, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) return $ref.replace('#/$defs/', '');
  // Longer lists, such as the names of rules, grow with every release.
  if (schema.enum !== undefined && schema.enum.length > 20) return 'string';
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined) return anyOf.map((each) => typeOf(each as Schema)).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each } as Schema)).join(' | ');
  if (type === 'array') return `readonly (${typeOf(items as Schema)})[]`;
  if (type === 'object' && properties === undefined)
    return `Readonly<Record<string, ${typeOf(additionalProperties as Schema)}>>`;
  if (type === 'object') {
    const members = Object.entries(properties ?? {}).map(([name, value]) => {
      const { description } = value as Schema;
      const comment = description === undefined ? '' : `/** ${description} */\n`;
      return `${comment}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(value as Schema)};`;
    });
    return `{\n${members.join('\n')}\n}`;
  }
  if (type === 'integer') return 'number';
  if (type === undefined) return 'unknown';
  return type;
}

/** Declarations of a schema and of everything it refers to. */
function declarationsOf(name: string, schema: z.ZodType): readonly string[] {
  const { $defs = {}, ...top } = z.toJSONSchema(schema);
  const named = Object.entries($defs).map(([id, value]) => `export type ${id} = ${typeOf(value as Schema)};`);
  return id(top) === name ? named : [...named, `export type ${name} = ${typeOf(top as Schema)};`];
}

const id = ({ $ref }: Schema): string | undefined => $ref?.replace('#/$defs/', '');

const functions = `
/** Headers as an object of names and values, or as pairs, such as a \`Headers\` of the Fetch API. */
export type HeadersArgument =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/** A response to grade: the final one of a redirect chain. */
export interface GradedResponse {
  readonly url: string;
  readonly finalUrl: string;
  readonly status: number;
  readonly hops: readonly { readonly url: string; readonly status: number; readonly location: string | null }[];
  readonly headers: HeadersArgument;
  readonly setCookies: readonly string[];
}

/** Request headers to check, with what is known of their connection: null if unknown. */
export interface HeaderSubject {
  readonly headers: HeadersArgument;
  /** True for the headers of a request whose connection you know. */
  readonly own: boolean;
  readonly https: boolean | null;
  readonly http2: boolean | null;
  readonly ip: string | null;
  readonly nowMs: number;
  readonly handshake: null;
}

/** Response code, whether the resolver validated it (AD), and the records of the answer; a malformed record has \`error\`. */
export interface DnsResponse {
  readonly rcode: number;
  readonly authentic: boolean;
  readonly records: readonly DnsRecord[];
}

/** A fingerprint's text and its MD5 in hex. */
export interface HashedText {
  readonly hash: string;
  readonly text: string;
}

/** Hashed and raw (\`r\`), with sorted lists and in original order (\`o\`). */
export interface TlsFingerprints {
  readonly ja3: HashedText;
  readonly ja3n: HashedText;
  readonly ja4: string;
  readonly ja4_r: string;
  readonly ja4_o: string;
  readonly ja4_ro: string;
}

/** Kinds of clients. */
export const kinds: readonly UserAgent['kind'][];
/** What a User-Agent states. */
export function parseUserAgent(userAgent: string): UserAgent;
/** What the User-Agent and the Client Hints of a request state. */
export function userAgent(headers: HeadersArgument): UserAgent;
/** Traits of request headers that bot detection often weighs: hints, not proofs. */
export function headerTraits(subject: HeaderSubject): HeaderTraits;
/** Security grade of response headers, by the rules of the HTTP Observatory. */
export function grade(response: GradedResponse): HeaderGrade;
/** The most requested fields of an RDAP object (RFC 9083). \`source\` is its URL. */
export function summarize(kind: 'domain' | 'ip' | 'autnum', data: Readonly<Record<string, unknown>>, source: string): RegistrationSummary;
/** A query for DNS over HTTPS (RFC 8484). The name is ASCII, without a trailing dot; a RangeError is thrown if no message can contain it. */
export function encodeDnsQuery(name: string, type: DnsRecord['type']): Uint8Array;
/** A response to that query; null if it is malformed, or no response to it. */
export function parseDnsResponse(bytes: Uint8Array, name: string, type: DnsRecord['type']): DnsResponse | null;
/** Fingerprints of a ClientHello body, which is without record and handshake headers; null if it is malformed. */
export function tlsFingerprints(clientHello: Uint8Array): TlsFingerprints | null;
/** The Akamai fingerprint of an HTTP/2 connection, from its first bytes and the names of the first pseudo-headers; null if they are not HTTP/2. */
export function http2Fingerprint(bytes: Uint8Array, pseudoHeaders: readonly string[]): HashedText | null;
`;

/** The types of the library. */
export function lightTypes(): string {
  const declarations = [
    ...declarationsOf('UserAgent', UserAgent),
    ...declarationsOf('HeaderTraits', HeaderTraits),
    ...declarationsOf('HeaderGrade', Grade),
    ...declarationsOf('DnsRecord', DnsRecord),
    ...declarationsOf('RegistrationSummary', RdapResult.shape.summary),
  ];
  return `${[...new Set(declarations)].join('\n')}\n${functions}`;
}

/** Folders of the packages whose code is in the bundle. */
const packagesOf = (inputs: readonly string[]): readonly string[] =>
  inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);

const sources = 'src/lookups/light';
/** The entry points besides the whole library, each with the functions of one file. */
export const entries = ['dns', 'fingerprints', 'grade', 'header-traits', 'kinds', 'summarize', 'user-agent'] as const;

/** Writes the package to a folder. */
export async function buildLight(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      index: join(sources, 'light.ts'),
      ...Object.fromEntries(entries.map((name) => [name, join(sources, `${name}.ts`)])),
    },
    outdir: target,
    bundle: true,
    // So that a bundler takes only what an entry point needs, also if all are imported.
    splitting: true,
    chunkNames: 'shared-[hash]',
    define: { 'Map.groupBy': 'groupByInMap', 'Object.groupBy': 'groupByInObject', 'URL.parse': 'parseUrl' },
    inject: ['tools/node-20.ts'],
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // Without the long table of devices, which is read from a file.
    conditions: ['workerd', 'import'],
    target: 'es2022',
    legalComments: 'none',
    // In every file, because the shared ones run before the entry points.
    banner: { js: nodeCheck('seenby-light', '[].toSorted', '20 or later') },
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of Object.keys(metafile.outputs)) {
    const code = readFileSync(join(root, file), 'utf8');
    // Imports for side effects, of which our modules have none; a bundler of the user would warn about each.
    writeFileSync(join(root, file), code.replaceAll(/\bimport"\.\/shared-\w+\.js";/g, ''));
  }
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'seenby-light',
    version,
    description:
      'Recognizes clients by User-Agent, Client Hints and fingerprints; grades response headers; reads RDAP.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    // For tools that do not read exports; they find the other entry points by the names of their files.
    main: './index.js',
    types: './index.d.ts',
    exports: Object.fromEntries(
      ['index', ...entries].map((name) => [
        name === 'index' ? '.' : `./${name}`,
        { types: `./${name}.d.ts`, default: `./${name}.js` },
      ]),
    ),
    files: ['*.js', '*.d.ts', 'LICENSES'],
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(target, 'index.d.ts'), lightTypes());
  for (const name of entries) {
    const { exports = [] } =
      Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === `src/lookups/light/${name}.ts`) ?? {};
    writeFileSync(join(target, `${name}.d.ts`), `export { ${exports.join(', ')} } from './index.js';\n`);
  }
  writeFileSync(join(target, 'LICENSES'), licensesOf(packagesOf(Object.keys(metafile.inputs))));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  cpSync(join(root, 'docs', 'light.md'), join(target, 'README.md'));
}
