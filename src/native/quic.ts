/**
 * QUIC as HTTP/3 needs it: connections and streams of clients, whatever terminates QUIC for them: OpenSSL in a process of its own
 * (`quic/`), until Node has a server itself (`node:quic`).
 */

/** Values that a client sent until its handshake was complete. */
export interface QuicHello {
  /** Body of the ClientHello (RFC 8446 §4.1.2), whose extension 57 has the transport parameters (RFC 9000 §18.2). */
  readonly clientHello: Uint8Array;
  /** Of the packets that carried it, such as 1 (RFC 9000 §15). */
  readonly version: number;
  /** Bytes of the connection id that the client chose for the server in its first packet; null if it is no longer known. */
  readonly destinationIdLength: number | null;
  /** Bytes of the connection id that the client chose for itself. */
  readonly sourceIdLength: number;
  /** CRYPTO frames and datagrams that carried the ClientHello, after a Retry if there was one. */
  readonly cryptoFrames: number;
  readonly datagrams: number;
}

export interface QuicConnection {
  /** The client's address without zone and `::ffff:`, and its port. */
  readonly ip: string;
  readonly port: number;
  readonly hello: QuicHello;
  /** The TLS parameters that client and server agreed on. The version is always 1.3. */
  readonly tls: {
    /** Name of the IANA registry, such as `TLS_AES_128_GCM_SHA256`. */
    readonly cipher: string;
    /** Key exchange, such as `X25519MLKEM768`; null if OpenSSL has no name for it. */
    readonly group: string | null;
    /** Whether the client has resumed the session of an earlier connection, without a certificate. */
    readonly isResumed: boolean;
  };
  /** Smoothed round-trip time in milliseconds (RFC 9002 §5.3) as of now; null if it is not measured, never 0. */
  rttMs(): number | null;
  /** Opens a unidirectional stream; null if the client permits none now, or the connection is closed. */
  openStream(): QuicStream | null;
  /** Closes the connection with an application error code (RFC 9114 §8.1); streams get no further calls. */
  close(code: number): void;
}

/** Handlers for a connection. A method that throws closes only that connection, with H3_INTERNAL_ERROR. */
export interface QuicConnectionHandler {
  /** The client opened a stream; the handler that is set now gets its first bytes, which follow. */
  onStream(stream: QuicStream): void;
  /** The connection has ended for any reason; called once, and no stream gets a call afterwards. */
  onClosed(): void;
}

export interface QuicStream {
  /** RFC 9000 §2.1, below 2^53. */
  readonly id: number;
  readonly isBidirectional: boolean;
  /** Gets what the client sends; if null, that is ignored. */
  handler: QuicStreamHandler | null;
  /**
   * Sends bytes, which must not change afterwards; `isLast` ends the sending part. Returns whether further bytes may follow now: if not,
   * wait for `onDrain`, because what the engine cannot pass on stays in memory. Does nothing after the end, a reset, or STOP_SENDING.
   */
  write(bytes: Uint8Array, isLast?: boolean): boolean;
  /** Stops or continues `onData`; the client can send no more than its flow control window meanwhile. */
  pause(): void;
  resume(): void;
  /** Tells the client to send no more (STOP_SENDING), without further calls of `onData`; the sending part goes on. */
  stopReading(): void;
  /** Resets the sending part with an application error code and discards what the client still sends; no further calls. */
  abort(code: number): void;
}

export interface QuicStreamHandler {
  /** Bytes in order, which are the handler's own; `isLast` if the client has ended the stream, perhaps without further bytes. */
  onData(bytes: Uint8Array, isLast: boolean): void;
  /** The client reset its sending part (RESET_STREAM): no more data follows, and no end. */
  onReset(code: number): void;
  /** The client wants no more bytes (STOP_SENDING); `write` does nothing from now on. */
  onStopSending(): void;
  /** More bytes may be written, after `write` returned false. */
  onDrain(): void;
}
