/** Protocol versions without `initialize`: each request states in its headers and its metadata what that message would. */
import {
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  CLIENT_INFO_META_KEY as infoKey,
  PROTOCOL_VERSION_META_KEY as versionKey,
} from '@modelcontextprotocol/server';
import type { ObservedRequest } from '../core/observed.ts';
import { clientTypes, findProblem, isObject, type JsonObject, RpcError, type RpcRequest } from './rpc.ts';
import { isStatelessVersion, statelessVersions } from './server-info.ts';

/** Whether a message states a version in its metadata. */
export const isSelfContained = (message: unknown): boolean =>
  isObject(message) && isObject(message.params) && isObject(message.params._meta) && versionKey in message.params._meta;

/** Whether a request is of a version without `initialize`, by its metadata or its header. */
export const isStateless = (request: RpcRequest, { headers }: ObservedRequest): boolean =>
  isSelfContained(request) ||
  (request.method !== 'initialize' && isStatelessVersion(headers['mcp-protocol-version']?.trim()));

const anonymous = { name: '', version: '' };

/** Throws an RpcError unless the metadata of a request is complete and its headers agree with the body. */
export function checkStateless({ method, params }: RpcRequest, { headers }: ObservedRequest): void {
  const meta = (params._meta ?? {}) as JsonObject;
  const problem =
    findProblem(meta, 'params._meta', { [versionKey]: 'string', [capabilitiesKey]: 'object', [infoKey]: 'object?' }) ??
    findProblem((meta[infoKey] ?? anonymous) as JsonObject, `params._meta.${infoKey}`, clientTypes);
  if (problem !== null) throw new RpcError('invalidMetadata', problem);
  const version = String(meta[versionKey]);
  // An unknown version may require other headers.
  const others = isStatelessVersion(version) ? { 'Mcp-Method': method, ...nameOf(method, params) } : {};
  for (const [name, value] of Object.entries({ 'MCP-Protocol-Version': version, ...others })) {
    const sent = headers[name.toLowerCase()];
    if (sent !== undefined && decode(sent.trim()) === value) continue;
    const problem = sent === undefined ? 'is missing' : 'does not agree with the body';
    throw new RpcError('headerMismatch', `The header ${name} ${problem}; send the value in the body.`);
  }
  if (isStatelessVersion(version)) return;
  const data = { supported: statelessVersions, requested: version };
  throw new RpcError(
    'unsupportedVersion',
    `Unsupported protocol version; use ${statelessVersions.join(' or ')}.`,
    data,
  );
}

const nameOf = (method: string, { name }: JsonObject) =>
  method === 'tools/call' && typeof name === 'string' ? { 'Mcp-Name': name } : {};

/** Values that a header cannot contain are sent in Base64; null if that is not valid. */
function decode(value: string): string | null {
  const base64 = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (base64 === undefined) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.fromBase64(base64));
  } catch {
    return null;
  }
}
