/** Builds the light library in build/light: one file with its dependencies inside, types without dependencies, and licenses. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as z from 'zod';
import { UserAgent } from '../src/client/user-agent-schema.ts';
import { Grade } from '../src/lookups/headers-check/schema.ts';
import { RdapResult } from '../src/lookups/rdap/schema.ts';
import { HeaderTraits } from '../src/traits/header-traits.ts';
import { licensesOf } from './licenses.ts';

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
/** A response to grade: the final one of a redirect chain. Header names in lower case. */
export interface GradedResponse {
  readonly url: string;
  readonly finalUrl: string;
  readonly status: number;
  readonly hops: readonly { readonly url: string; readonly status: number; readonly location: string | null }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
}

/** Request headers to check, with what is known of their connection: null if unknown. */
export interface HeaderSubject {
  readonly headers: Readonly<Record<string, string>>;
  /** True for the headers of a request whose connection you know. */
  readonly own: boolean;
  readonly https: boolean | null;
  readonly http2: boolean | null;
  readonly ip: string | null;
  readonly nowMs: number;
  readonly handshake: null;
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
/** What the User-Agent and the Client Hints of a request state. Header names in lower case. */
export function userAgent(headers: Readonly<Record<string, string>>): UserAgent;
/** Traits of request headers that bot detection often weighs: hints, not proofs. */
export function headerTraits(subject: HeaderSubject): HeaderTraits;
/** Security grade of response headers, by the rules of the HTTP Observatory. */
export function grade(response: GradedResponse): HeaderGrade;
/** The most requested fields of an RDAP object (RFC 9083). \`source\` is its URL. */
export function summarize(kind: 'domain' | 'ip' | 'autnum', data: Readonly<Record<string, unknown>>, source: string): RegistrationSummary;
/** Fingerprints of a ClientHello body, which is without record and handshake headers; null if it is malformed. */
export function tlsFingerprints(clientHello: Uint8Array): TlsFingerprints | null;
/** The Akamai fingerprint of an HTTP/2 connection, from its first bytes and the names of the first pseudo-headers; null if they are no HTTP/2. */
export function http2Fingerprint(bytes: Uint8Array, pseudoHeaders: readonly string[]): HashedText | null;
`;

/** The types of the library. */
export function lightTypes(): string {
  const declarations = [
    ...declarationsOf('UserAgent', UserAgent),
    ...declarationsOf('HeaderTraits', HeaderTraits),
    ...declarationsOf('HeaderGrade', Grade),
    ...declarationsOf('RegistrationSummary', RdapResult.shape.summary),
  ];
  return `${[...new Set(declarations)].join('\n')}\n${functions}`;
}

/** Folders of the packages whose code is in the bundle. */
const packagesOf = (inputs: readonly string[]): readonly string[] =>
  inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);

/** Writes the package to a folder. */
export async function buildLight(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: 'src/lookups/light.ts' },
    outdir: target,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // Without the long table of devices, which is read from a file.
    conditions: ['workerd', 'import'],
    target: 'es2022',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'seenby-light',
    version,
    description:
      'Recognizes clients by User-Agent, Client Hints and fingerprints; grades response headers; reads RDAP.',
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['index.js', 'index.d.ts', 'LICENSES'],
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(target, 'index.d.ts'), lightTypes());
  writeFileSync(join(target, 'LICENSES'), licensesOf(packagesOf(Object.keys(metafile.inputs))));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  cpSync(join(root, 'docs', 'light.md'), join(target, 'README.md'));
}
