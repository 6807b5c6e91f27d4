/** The rendering engine of a browser that names none, by the browser. */
import { enginesByToken } from './data/engines.ts';
import { findRow } from './expression-table.ts';
import type { UserAgent } from './user-agent-schema.ts';

type Engine = UserAgent['engine'];

/** Returns the engine that the text of a browser states, else the browser's. An Opera that poses as another browser states its engine. */
export function engineOfBrowser(stated: Engine, text: string): Engine {
  const isPosing = stated.name === 'Gecko' && / Opera \d/.test(text);
  if (stated.name !== null && !isPosing) return stated;
  const [token, name = null] = findRow(enginesByToken, text) ?? [];
  return { name, version: token?.exec(text)?.[1] ?? null };
}
