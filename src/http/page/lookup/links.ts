/** Links from a result to further lookups. A value that no lookup accepts, which a hostile server can send, stays text. */
import { html } from 'hono/html';
import { parseAddress, parsePrefix } from '../../../core/address.ts';
import { isPublicAddress } from '../../../core/networks.ts';
import type { Fragment } from '../fragment.ts';
import { renderClipped } from './result.ts';

export const pathOf = (path: string, name: string, value: string): string =>
  `${path}?${new URLSearchParams({ [name]: value })}`;

const linkTo = (path: string, name: string, value: string): Fragment =>
  html`<a href="${pathOf(path, name, value)}">${renderClipped(value)}</a>`;

const hostName = /^(?=.{1,253}$)[\w-]+(\.[\w-]+)+$/;

export function linkAddress(ip: string): Fragment {
  const address = parseAddress(ip);
  return address !== null && isPublicAddress(address) ? linkTo('/lookup/ip', 'q', ip) : renderClipped(ip);
}

/** A CIDR block or an AS number. */
export const linkNetwork = (network: string): Fragment =>
  /^AS\d+$/.test(network) || parsePrefix(network) !== null
    ? linkTo('/lookup/rdap', 'q', network)
    : renderClipped(network);

export const linkHost = (name: string): Fragment =>
  hostName.test(name) ? linkTo('/lookup/dns', 'name', name) : renderClipped(name);

export const linkDomain = (name: string): Fragment =>
  hostName.test(name) ? linkTo('/lookup/domain', 'name', name) : renderClipped(name);
