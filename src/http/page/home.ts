/** The page at `/`: what was seen of the request that asked for it. */
import { html } from 'hono/html';
import { flatten } from '../../core/text.ts';
import type { Info } from '../../resources/info.ts';
import type { Endpoint } from '../endpoint.ts';
import { terms } from '../terms.ts';
import { layout, table } from './layout.ts';

export function homePage(info: Info, endpoints: readonly Endpoint[]): string {
  const seen = flatten(info)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1).trim() || '–'];
    });
  return layout(
    'What the internet sees of you',
    html`<p class="address">${info.ip ?? 'no address seen'}</p>
<p>For programs: ${endpoints
      .filter(({ print }) => print.text !== undefined)
      .map(({ path }) => html`<a href="${path}"><code>${path}</code></a> `)}</p>
${table(['Field', 'Value'], seen)}
<p>${terms.estimate}</p>`,
  );
}
