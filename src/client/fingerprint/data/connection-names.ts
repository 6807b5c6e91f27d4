/**
 * Names of HTTP/2 frames and settings, and of TCP options. https://www.iana.org/assignments/http2-parameters and
 * https://www.iana.org/assignments/tcp-parameters/#tcp-parameters-1. Last updated: 2026-11-21
 */

/** HTTP/2 Frame Types. */
export const frameNames: ReadonlyMap<number, string> = new Map([
  [0, 'DATA'],
  [1, 'HEADERS'],
  [2, 'PRIORITY'],
  [3, 'RST_STREAM'],
  [4, 'SETTINGS'],
  [5, 'PUSH_PROMISE'],
  [6, 'PING'],
  [7, 'GOAWAY'],
  [8, 'WINDOW_UPDATE'],
  [9, 'CONTINUATION'],
  [10, 'ALTSVC'],
  [12, 'ORIGIN'],
  [16, 'PRIORITY_UPDATE'],
]);

/** HTTP/2 Settings, without the prefix SETTINGS_. */
export const settingNames: ReadonlyMap<number, string> = new Map([
  [1, 'HEADER_TABLE_SIZE'],
  [2, 'ENABLE_PUSH'],
  [3, 'MAX_CONCURRENT_STREAMS'],
  [4, 'INITIAL_WINDOW_SIZE'],
  [5, 'MAX_FRAME_SIZE'],
  [6, 'MAX_HEADER_LIST_SIZE'],
  [8, 'ENABLE_CONNECT_PROTOCOL'],
  [9, 'NO_RFC7540_PRIORITIES'],
  [16, 'TLS_RENEG_PERMITTED'],
]);

/** TCP Option Kind Numbers. */
export const tcpOptionNames: ReadonlyMap<number, string> = new Map([
  [0, 'End of Option List'],
  [1, 'No-Operation'],
  [2, 'Maximum Segment Size'],
  [3, 'Window Scale'],
  [4, 'SACK Permitted'],
  [5, 'SACK'],
  [8, 'Timestamps'],
  [14, 'TCP Alternate Checksum Request'],
  [19, 'MD5 Signature Option'],
  [28, 'User Timeout Option'],
  [29, 'TCP Authentication Option (TCP-AO)'],
  [30, 'Multipath TCP (MPTCP)'],
  [34, 'TCP Fast Open Cookie'],
  [69, 'TCP-ENO'],
  [172, 'Accurate ECN Order 0 (AccECN0)'],
  [174, 'Accurate ECN Order 1 (AccECN1)'],
  [253, 'RFC3692-style Experiment 1'],
  [254, 'RFC3692-style Experiment 2'],
]);
