/** The files of deploy/fleet, as Docker Compose and Kubernetes read them. */
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

const folder = new URL('../../deploy/fleet/', import.meta.url);
export const readFleetFile = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface ComposeService {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: string;
  readonly networks: { readonly fleet: { readonly ipv4_address: string } };
  readonly [key: string]: unknown;
}

/** The variables of a file that Docker Compose reads. */
export const parseVariables = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name, value]) => [name, value]));

/** Inserts variables as Docker Compose does; throws an Error if one that is required is missing. */
const interpolate = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?:(:[-?])([^}]*))?\}/g, (_, name: string, kind: string | undefined, rest: string) => {
    const value = variables[name];
    if (value) return value;
    if (kind === ':?') throw new Error(`${name}: ${rest}`);
    return kind === ':-' ? rest : '';
  });

/** The services of compose.yaml. */
export const readCompose = (variables: Readonly<Record<string, string>>): Readonly<Record<string, ComposeService>> =>
  parse(
    readFleetFile('compose.yaml'),
    (_, value) => (typeof value === 'string' ? interpolate(value, variables) : value),
    {
      merge: true,
    },
  ).services;

/** The objects of kubernetes.yaml, by kind and name. */
export const readKubernetes = () =>
  Object.fromEntries(
    parseAllDocuments(readFleetFile('kubernetes.yaml')).map((each) => {
      const object = each.toJS();
      return [`${object.kind} ${object.metadata.name}`, object];
    }),
  );
