/** Files of the operator below /.well-known/ (RFC 8615), beside the documents of the service there. */
import { parseJson } from '../core/json.ts';
import type { Deployment } from '../core/request-context.ts';
import { definer, type Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { securityTxtPath } from './site-files.ts';

const folder = '/.well-known/';

const defineFile = definer({ kind: 'document', rates: [], isConstant: true });

/** An endpoint for each file; one with the path of another endpoint replaces it. */
export const wellKnownEndpoints = ({ wellKnownFiles = {} }: Deployment): readonly Endpoint[] =>
  Object.entries(wellKnownFiles).map(([name, text]) =>
    defineFile(folder + name, 'A file of the operator', { [isJson(text) ? 'json' : 'text']: () => text }),
  );

/** By its content, because some names have no ending, such as apple-app-site-association. A number alone may be a token. */
function isJson(text: string): boolean {
  const parsed = parseJson(text);
  return 'value' in parsed && typeof parsed.value === 'object' && parsed.value !== null;
}

/** Whether a file may have this name: of the documents there, only the contact may be that of the operator. */
export const isReplaceable = (name: string): boolean =>
  folder + name === securityTxtPath || endpoints.every(({ path }) => path !== folder + name);
