/** The size of functions, by the syntax trees of the installed TypeScript, whose interface for programs is called unstable in version 7. */
import { join } from 'node:path';
import { test } from 'node:test';
import { isConstructorDeclaration, isFunctionLikeDeclaration, type Node } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { assertOnlyKnown, projectFolder } from './source-files.ts';

const maxLines = 80;
const maxParameters = 3;

interface FunctionSize {
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
}

/** Returns all functions with a body in a syntax tree; one without a name has that of what it is assigned to. */
function functionsIn(file: string, root: Node, text: string): FunctionSize[] {
  const found: FunctionSize[] = [];
  const visit = (node: Node, outer: string): void => {
    const { name } = node as { readonly name?: { readonly text?: string } };
    const inner = name?.text ?? (isConstructorDeclaration(node) ? `${outer} constructor` : outer);
    if (isFunctionLikeDeclaration(node) && node.body !== undefined) {
      const lines = text.slice(node.getStart(), node.end).split('\n').length;
      found.push({ name: `${file}: ${inner}`, lines, parameters: node.parameters.length });
    }
    node.forEachChild((child) => visit(child, inner));
  };
  visit(root, '');
  return found;
}

function functionsOfSource(): FunctionSize[] {
  const api = new API({});
  try {
    const openProjects = ['.', 'src/http/page/browser', 'src/edges/cloudflare'].map((folder) =>
      join(projectFolder, folder, 'tsconfig.json'),
    );
    const files = new Map<string, FunctionSize[]>();
    for (const { program, rootFiles } of api.updateSnapshot({ openProjects }).getProjects()) {
      for (const path of rootFiles.filter((each) => each.startsWith(join(projectFolder, 'src/')))) {
        const file = path.slice(projectFolder.length);
        const source = program.getSourceFile(path);
        if (source !== undefined) files.set(file, functionsIn(file, source, source.text));
      }
    }
    return [...files.values()].flat();
  } finally {
    api.close();
  }
}

const functions = functionsOfSource();
const namesOf = (sizes: readonly FunctionSize[]): string[] => [...new Set(sizes.map(({ name }) => name))].toSorted();

test(`no function has more than ${maxLines} lines`, () => {
  const long = functions.filter(({ lines }) => lines > maxLines);
  assertOnlyKnown('these functions are too long; extract what has a name of its own', namesOf(long), []);
});

test(`no function has more than ${maxParameters} parameters`, () => {
  const wide = functions.filter(({ parameters }) => parameters > maxParameters);
  assertOnlyKnown('these functions have too many parameters; pass an object', namesOf(wide), [
    // http
    'src/http/route.ts: RouteContext constructor',
  ]);
});
