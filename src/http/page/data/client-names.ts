/** Names of kinds of clients and devices, as the start page says them. */
import type { Kind } from '../../../client/kinds.ts';

export const kindNames: Readonly<Record<Kind, string>> = {
  browser: 'a browser',
  'search-crawler': 'a search engine crawler',
  'ai-crawler': 'a crawler that collects data for AI models',
  'ai-assistant': 'an AI assistant',
  'social-preview': 'a link preview fetcher',
  'http-library': 'an HTTP library',
  cli: 'a command-line tool',
  'headless-browser': 'a headless browser',
  monitoring: 'a monitoring service',
  bot: 'a bot',
  unknown: 'an unknown client',
};

export const deviceNames: Readonly<Record<string, string>> = {
  desktop: 'Desktop',
  mobile: 'Phone',
  tablet: 'Tablet',
  smarttv: 'Television',
  console: 'Game console',
  wearable: 'Wearable',
  xr: 'Headset',
  embedded: 'Embedded device',
};
