/** The list of endpoints: route, limit, shapes and documentation follow from its rows. */
import type * as z from 'zod';
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import { flatten, toJson } from '../core/text.ts';
import { Geo, geo } from '../resources/geo.ts';
import { Headers, headers } from '../resources/headers.ts';
import { Info, info } from '../resources/info.ts';
import { TlsConnection, tlsConnection } from '../resources/tls.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { docsPage } from './page/docs.ts';
import { homePage } from './page/home.ts';
import { privacyPage } from './page/privacy.ts';

export const endpoints: readonly Endpoint[] = [
  {
    path: '/',
    summary: 'The address of the caller; a page where HTML is asked for',
    rate: 'general',
    schema: null,
    print: { text: address, html: (call) => homePage(everything(call), endpoints) },
  },
  {
    path: '/ip',
    summary: 'The address of the caller, always as text',
    rate: 'general',
    schema: null,
    print: { text: address },
  },
  resource('/json', 'Everything the service sees of the request', Info, everything),
  resource('/geo', 'Location and network of the caller', Geo, ({ observed }) => geo(observed)),
  resource('/tls', 'The TLS connection and its ClientHello', TlsConnection, ({ observed }) => tlsConnection(observed)),
  resource(
    '/ua',
    'The User-Agent, parsed; as text the header alone',
    UserAgent,
    ({ observed }) => userAgent(observed.headers),
    ({ raw }) => raw,
  ),
  resource('/headers', 'The headers of the request', Headers, ({ observed }) => headers(observed)),
  page('/docs', 'This documentation', () => docsPage(endpoints)),
  page('/privacy', 'What is done with a request, and what is not', privacyPage),
];

function address({ observed }: Call): string {
  return `${observed.ip ?? ''}\n`;
}

function everything({ observed, platform, publicUrl }: Call): Info {
  return info(observed, publicUrl ?? observed.origin, platform.now());
}

function resource<Schema extends z.ZodObject>(
  path: string,
  summary: string,
  schema: Schema,
  of: (call: Call) => z.infer<Schema>,
  text: (value: z.infer<Schema>) => string = flatten,
): Endpoint {
  const print = { json: (call: Call) => toJson(of(call)), text: (call: Call) => text(of(call)) };
  return { path, summary, rate: 'general', schema, print };
}

/** A page that says the same to everyone, printed once. */
function page(path: string, summary: string, html: () => string): Endpoint {
  let printed: string | null = null;
  return { path, summary, rate: null, schema: null, print: { html: () => (printed ??= html()) } };
}
