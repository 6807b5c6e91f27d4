/** Renders a redirect chain: the status and URL of each response. */
import { html } from 'hono/html';
import type { HeaderCheck } from '../../../lookups/headers-check/schema.ts';
import type { Fragment } from '../fragment.ts';
import { chip, renderClipped, renderLink } from './result.ts';

export const renderHops = (hops: HeaderCheck['hops']): Fragment =>
  html`<ol class="hops">${hops.map(
    ({ url, status, location }) =>
      html`<li>${chip(String(status), status < 400 ? '' : 'bad')} ${renderLink(url)}${
        location === null ? '' : html`<p class="small">redirects to ${renderClipped(location)}</p>`
      }</li>`,
  )}</ol>`;
