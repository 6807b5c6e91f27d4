/** Reasons why the store is not available, each with what the operator can do. */

export const unexpectedReply = 'unexpected reply';

/** Errors of the client library, by the name of their class. */
const libraryErrors: ReadonlyMap<string, string> = new Map([
  ['ConnectionTimeoutError', 'no response'],
  ['SocketClosedUnexpectedlyError', 'connection closed'],
]);

const noCluster = 'the store is a node of a cluster, which is not supported; use a server without cluster mode';
const primary = 'RATE_LIMIT_STORE names a replica; name the primary';
const trust = 'set NODE_EXTRA_CA_CERTS to a file with the CA that issued the certificate of the store';
const noTls = 'the store may have no TLS on this port; use its tls-port, or redis://';
const otherServer = 'RATE_LIMIT_STORE may name another kind of server; use host and port of a Redis or Valkey server';
const rejected =
  'the store closes the connection; check its maxclients, and whether it requires TLS, or certificates of clients';

/** By the result of `codeOf`: the code of a reply, of Node's TLS, or of the system. */
const adviceByCode: ReadonlyMap<string, string> = new Map([
  [
    'DENIED',
    'the store is in protected mode; add the user of the documentation and "user default off" to its configuration',
  ],
  ['WRONGPASS', 'correct user and password in RATE_LIMIT_STORE'],
  ['NOAUTH', 'add user and password to RATE_LIMIT_STORE'],
  ['NOPERM', 'give the user in RATE_LIMIT_STORE the permissions of the documentation'],
  ['READONLY', primary],
  ['MASTERDOWN', primary],
  ['CROSSSLOT', noCluster],
  ['MOVED', noCluster],
  ['ASK', noCluster],
  ['TRYAGAIN', noCluster],
  ['CLUSTERDOWN', noCluster],
  ['OOM', 'the store is full; set maxmemory-policy volatile-ttl, or raise its maxmemory'],
  ['LOADING', 'the store reads its data from disk; set save "" and appendonly no, so that it starts empty'],
  ['MISCONF', 'the store cannot write its data to disk; set save "" and appendonly no'],
  ['NOREPLICAS', 'the store has too few replicas; set min-replicas-to-write 0'],
  ['BUSY', 'a script of another program runs in the store; use a store that no other program uses'],
  ['ERR', 'check user, password, permissions and database in RATE_LIMIT_STORE'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'RATE_LIMIT_STORE needs a host that the certificate of the store names'],
  ['CERT_HAS_EXPIRED', 'renew the certificate of the store'],
  ['CERT_NOT_YET_VALID', 'check the clocks of this machine and of the CA that issued the certificate of the store'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', trust],
  ['SELF_SIGNED_CERT_IN_CHAIN', trust],
  ['UNABLE_TO_GET_ISSUER_CERT', trust],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', trust],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', trust],
  ['ERR_SSL_WRONG_VERSION_NUMBER', noTls],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', noTls],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'the store requires a certificate of its clients; set tls-auth-clients no',
  ],
  ['ENOTFOUND', 'the host in RATE_LIMIT_STORE does not resolve'],
  ['EACCES', 'give the user of the service access to the socket file of the store'],
  ['ENOENT', 'the socket file in RATE_LIMIT_STORE does not exist; start the store, or correct the path'],
]);

/** By the text of a reply, for codes that have several causes. */
const adviceByText: readonly (readonly [text: RegExp, advice: string])[] = [
  [/^ERR max number of clients/, 'the store has too many connections; raise its maxclients'],
  [/^ERR .*in cluster mode/, noCluster],
  [/^ERR DB index/, 'correct the number of the database in RATE_LIMIT_STORE'],
  [/^ERR .*without any password/, 'remove the password from RATE_LIMIT_STORE, or set one in the store'],
  [
    /^ERR unknown (?:sub)?command/,
    'the server lacks a command; RATE_LIMIT_STORE needs Redis 6 or later, or Valkey, not a Sentinel, with all commands of the documentation',
  ],
];

/** Before Redis 7, an error in a script has its code within the text. */
const scriptError = /^ERR Error running script .*?-?\b(READONLY|OOM|MISCONF|NOREPLICAS|CROSSSLOT)\b/;

/** Only the code of an error: the text of a store's error may repeat a password. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return unexpectedReply;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [, code] = scriptError.exec(error.message) ?? /^([A-Z]{2,20})(?= )/.exec(error.message) ?? [];
  return code ?? libraryErrors.get(error.constructor.name) ?? unexpectedReply;
}

/** Returns the code of an error, and what to change if that is known. */
export function describeFailure(error: unknown): string {
  const code = codeOf(error);
  const [, advice = adviceByCode.get(code)] =
    adviceByText.find(([text]) => error instanceof Error && text.test(error.message)) ?? [];
  return advice === undefined ? code : `${code}; ${advice}`;
}

/** Adds what to change to the reason why a connection could not be opened. For one that was open, host, port and TLS are correct. */
export function describeUnopened(reason: string, isTls: boolean): string {
  if (reason === unexpectedReply) return `${reason}; ${otherServer}`;
  if (isTls && reason === 'no response') return `${reason}; ${noTls}`;
  return ['ECONNRESET', 'EPIPE', 'connection closed'].includes(reason) ? `${reason}; ${rejected}` : reason;
}
