/** Parts of undici, which declares only what its main module exports. */
declare module 'undici/lib/api/api-request.js' {
  import type { Agent } from 'undici';

  const request: Agent['request'];
  export default request;
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
