/** What a User-Agent, alone or with the Client Hints of its request, states about a client. */
import * as client from '../../client/user-agent.ts';
import type { UserAgent } from '../../client/user-agent-schema.ts';
import { type HeadersArgument, headersArgument, textArgument } from './arguments.ts';

/** What a User-Agent states. Throws a TypeError for anything but a string. */
export const parseUserAgent = (text: string): UserAgent =>
  client.parseUserAgent(textArgument(text, 'parseUserAgent: the User-Agent'));

/** What the User-Agent and the Client Hints of a request state. Throws a TypeError for anything but headers. */
export const userAgent = (headers: HeadersArgument): UserAgent =>
  client.userAgent(headersArgument(headers, 'userAgent: the argument'));
