/** The numbers of OpenSSL's headers that QUIC needs. */

// Certificates and contexts
export const singleThread = 1n;
export const override = 1;
/** Results of the selection of an application protocol, and of its callback. */
export const protocolSelected = 1;
export const acknowledge = 0;
export const alertFatal = 2;

/** SSL_CTRL_SET_GROUPS_LIST */
export const setGroups = 92;

// Listeners
/** SSL_LISTENER_FLAG_NO_VALIDATE */
export const noValidation = 2n;
export const leaveOpen = 0;
export const setLocalAddressEnabled = 84;
export const setCapabilities = 87;
/** That both ends of the pair provide and handle the addresses of both sides. */
export const allCapabilities = 15n;

// Connections
export const noBlock = 1n;
export const genericValue = 0;
export const eventHandling = 6;
export const explicitHandling = 2n;
export const noStreamMode = 0;
export const policyAccept = 1;
export const getNegotiatedGroup = 134;
/** Rapid and without blocking; the second one also without sending first what was written. */
export const shutdown = 0b101n;
export const shutdownWithoutFlush = 0b111n;

/** SSL_CONN_CLOSE_FLAG_LOCAL */
export const closedLocally = 1;

// Streams
/** Unidirectional, without blocking, even if the client permits no more now. */
export const newStreamFlags = 7n;
export const setMode = 33;
export const partialWrites = 1n;
export const writeBufferUsed = 8;
export const stateOk = 1;
export const stateFinished = 3;
/** Of a sending part: OpenSSL resets it when the client asks it to stop sending. Our own resets free the stream. */
export const stateReset = 4;
export const stateResetByClient = 5;
