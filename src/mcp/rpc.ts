/** JSON-RPC 2.0: reads requests, and describes what is wrong with one. */

/** Code and HTTP status of each kind of error; the status counts for a message outside a batch. */
const reasons = {
  parseError: [-32700, 400],
  invalidRequest: [-32600, 400],
  tooLarge: [-32600, 413],
  invalidEncoding: [-32600, 415],
  methodNotFound: [-32601, 404],
  /** In handshake versions, and for params, clients expect status 200. */
  unknownMethod: [-32601, 200],
  invalidParams: [-32602, 200],
  invalidMetadata: [-32602, 400],
  unsupported: [-32000, 400],
  foreignHost: [-32000, 403],
  notAcceptable: [-32000, 406],
  invalidMediaType: [-32000, 415],
  rateLimited: [-32000, 429],
  // Codes of MCP.
  headerMismatch: [-32020, 400],
  unsupportedVersion: [-32022, 400],
} as const;

export const errorStatuses: ReadonlySet<number> = new Set(
  Object.values(reasons).flatMap(([, status]) => (status === 200 ? [] : [status])),
);

/** An error of the protocol; its message states what to change. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;

  constructor(reason: keyof typeof reasons, message: string, data?: object) {
    super(message);
    [this.code, this.status] = reasons[reason];
    this.data = data;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Id = string | number;

export interface RpcRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
}

/** JSON.parse rounds larger integers, so that the response would have another id; the MCP library ignores them. */
const isId = (id: unknown): id is Id => typeof id === 'string' || Number.isSafeInteger(id);

const idProblem = `id must be a string or an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`;

/** Returns null for a notification or a response, which get no response. Throws an RpcError for anything else. */
export function readRequest(message: unknown): RpcRequest | null {
  if (!isObject(message)) throw invalid('A message must be an object: {"jsonrpc": "2.0", "id": 1, "method": "…"}.');
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".');
  if (id !== undefined && !isId(id)) throw invalid(idProblem);
  if (method === undefined && id !== undefined && (isObject(message.result) || isObject(message.error))) return null;
  if (typeof method !== 'string') throw invalid('method must be a string, such as "tools/list".');
  // Some clients send null for what they omit.
  if (!isObject(params ?? {})) throw invalid('params must be an object.');
  if (isObject(params) && !isObject(params._meta ?? {})) throw invalid('params._meta must be an object.');
  if (id === undefined) return null;
  return { id, method, params: (params ?? {}) as JsonObject };
}

const invalid = (problem: string) => new RpcError('invalidRequest', problem);

const nouns = { string: 'a string', object: 'an object' } as const;

type MemberType = keyof typeof nouns | `${keyof typeof nouns}?`;

/** Finds a member of another type; those with `?` may be absent or null. `path` is the name of the object. */
export function findProblem(
  object: JsonObject,
  path: string,
  types: Readonly<Record<string, MemberType>>,
): string | null {
  for (const [name, type] of Object.entries(types)) {
    const value = object[name] ?? undefined;
    if (value === undefined && type.endsWith('?')) continue;
    const expected = type.startsWith('string') ? 'string' : 'object';
    if (expected === 'string' ? typeof value === 'string' : isObject(value)) continue;
    return `${path}.${name} ${value === undefined ? 'is required:' : 'must be'} ${nouns[expected]}.`;
  }
  return null;
}

/** The members of params by method, as far as a server with only tools reads them. */
const paramTypes: Readonly<Record<string, Readonly<Record<string, MemberType>>>> = {
  initialize: { protocolVersion: 'string', capabilities: 'object', clientInfo: 'object' },
  'tools/list': { cursor: 'string?' },
  'tools/call': { name: 'string', arguments: 'object?' },
  'subscriptions/listen': { notifications: 'object' },
};

export const clientTypes = { name: 'string', version: 'string' } as const;

/** Throws an RpcError unless the params fit the method. */
export function checkParams({ method, params }: RpcRequest): void {
  const { clientInfo, cursor } = params;
  const problem =
    findProblem(params, 'params', paramTypes[method] ?? {}) ??
    (method === 'initialize' ? findProblem(clientInfo as JsonObject, 'params.clientInfo', clientTypes) : null) ??
    (method === 'tools/list' && typeof cursor === 'string' ? unknownCursor : null);
  if (problem !== null) throw new RpcError('invalidParams', problem);
}

const unknownCursor = 'Unknown cursor; the list of tools has one page, omit it.';

/** The response to a message, which may be anything, with an error. */
export function formatError(message: unknown, { code, message: problem, data }: RpcError): string {
  const id = isObject(message) && isId(message.id) ? message.id : null;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: problem, ...(data !== undefined && { data }) } });
}
