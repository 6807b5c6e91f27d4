/** Parses what a User-Agent, alone or with the Client Hints of its request, states about a client. */
import * as client from '../../client/user-agent.ts';
import type { UserAgent } from '../../client/user-agent-schema.ts';
import { type HeadersArgument, headersArgument, textArgument } from './arguments.ts';

/** Parses a User-Agent. Throws a TypeError for anything but a string. */
export const parseUserAgent = (text: string): UserAgent =>
  client.parseUserAgent(textArgument(text, 'parseUserAgent: the User-Agent'));

/** Parses the User-Agent and the Client Hints of a request. Throws a TypeError for anything but headers. */
export const userAgent = (headers: HeadersArgument): UserAgent =>
  client.userAgent(headersArgument(headers, 'userAgent: headers'));
