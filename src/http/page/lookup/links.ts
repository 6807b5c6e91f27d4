/** Links from a result to further lookups. A value that no lookup accepts, which a hostile server can send, stays text. */
import { html } from 'hono/html';
import { isPublicAddress, parseAddress, parsePrefix } from '../../../core/address.ts';
import type { Fragment } from '../fragment.ts';
import { renderClipped } from './result.ts';

export const pathOf = (path: string, name: string, value: string): string =>
  `${path}?${new URLSearchParams({ [name]: value })}`;

/** Links a value to the page at `path`, if the lookup accepts it. */
const linkTo =
  (path: string, name: string, accepts: (value: string) => boolean) =>
  (value: string): Fragment =>
    accepts(value) ? html`<a href="${pathOf(path, name, value)}">${renderClipped(value)}</a>` : renderClipped(value);

const isHostName = (name: string): boolean => /^(?=.{1,253}$)[\w-]+(\.[\w-]+)+$/.test(name);

export const linkAddress = linkTo('/lookup/ip', 'q', (ip) => {
  const address = parseAddress(ip);
  return address !== null && isPublicAddress(address);
});

/** A CIDR block or an AS number. */
export const linkNetwork = linkTo('/lookup/rdap', 'q', (text) => /^AS\d+$/.test(text) || parsePrefix(text) !== null);

export const linkHost = linkTo('/lookup/dns', 'name', isHostName);

export const linkDomain = linkTo('/lookup/domain', 'name', isHostName);
