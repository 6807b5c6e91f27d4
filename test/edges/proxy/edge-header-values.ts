/** What a proxy that observes a TLS connection over TCP sends. */
export const edgeHeaderValues: Readonly<Record<string, string>> = {
  'x-edge-http-version': '2.0',
  'x-edge-tls-version': 'TLSv1.2',
  'x-edge-tls-cipher': 'ECDHE-RSA-AES128-GCM-SHA256',
  'x-edge-hello-length': '508',
  'x-edge-ciphers-sha1': 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
  'x-edge-extensions-sha1': 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
  'x-edge-ja3': '771,4865-4866,43-10,29,0',
  'x-edge-ja4': 't13d1517h2_8daaf6152771_cb7bf5808d99',
  'x-edge-rtt-us': '40400',
  'x-edge-quic-rtt-us': '',
  'x-edge-delivery-rate': '35907',
};
