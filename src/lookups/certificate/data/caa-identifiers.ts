/**
 * Names by which CAA records permit an authority, by the organization in the subject of its issuing certificates. CCADB, "All CAA
 * Identifiers" (2025-06-27), and the authorities' certification practice statements. An organization that others issue for has their
 * names too. Last updated: 2026-11-28
 */
const digicert = [
  'digicert.com',
  'www.digicert.com',
  'digicert.ne.jp',
  'cybertrust.ne.jp',
  'thawte.com',
  'geotrust.com',
  'rapidssl.com',
  'symantec.com',
  'digitalcertvalidation.com',
  'quovadisglobal.com',
  'amazon.com',
  'amazontrust.com',
  'awstrust.com',
  'amazonaws.com',
];
const sectigo = [
  'sectigo.com',
  'usertrust.com',
  'trust-provider.com',
  'comodo.com',
  'comodoca.com',
  'entrust.net',
  'affirmtrust.com',
];
const amazon = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com', 'aws.amazon.com'];
const ssl = ['ssl.com', 'entrust.net', 'affirmtrust.com'];

export const caaIdentifiers: ReadonlyMap<string, readonly string[]> = new Map([
  ["Let's Encrypt", ['letsencrypt.org']],
  ['Internet Security Research Group', ['letsencrypt.org']],
  ['Google Trust Services', ['pki.goog']],
  ['Google Trust Services LLC', ['pki.goog']],
  ['DigiCert Inc', digicert],
  ['DigiCert, Inc.', digicert],
  ['Sectigo Limited', sectigo],
  ['The USERTRUST Network', sectigo],
  ['COMODO CA Limited', sectigo],
  ['ZeroSSL', ['zerossl.com', ...sectigo]],
  ['Amazon', amazon],
  ['Amazon Trust Services', amazon],
  ['GlobalSign nv-sa', ['globalsign.com']],
  ['GoDaddy.com, Inc.', ['godaddy.com', 'starfieldtech.com']],
  ['Starfield Technologies, Inc.', ['starfieldtech.com', 'godaddy.com', 'amazon.com']],
  ['Entrust, Inc.', ['entrust.net', 'affirmtrust.com']],
  ['Entrust Limited', ['entrust.net', 'affirmtrust.com']],
  ['SSL Corporation', ssl],
  ['SSL Corp', ssl],
  ['IdenTrust', ['identrust.com']],
  ['Buypass AS-983163327', ['buypass.com', 'buypass.no']],
  ['Actalis S.p.A.', ['actalis.it']],
  ['Asseco Data Systems S.A.', ['certum.pl', 'certum.eu']],
  ['Certainly', ['certainly.com']],
  ['Microsoft Corporation', ['microsoft.com', ...digicert]],
  ['Apple Inc.', ['pki.apple.com']],
  ['SwissSign AG', ['swisssign.com']],
  ['D-Trust GmbH', ['d-trust.net', 'dtrust.de', 'd-trust.de']],
  ['Deutsche Telekom Security GmbH', ['telesec.de', 'pki.dfn.de', 'dfn.de']],
  ['Hellenic Academic and Research Institutions CA', ['harica.gr']],
  ['SECOM Trust Systems CO.,LTD.', ['secomtrust.net']],
  ['TAIWAN-CA', ['twca.com.tw']],
  ['certSIGN', ['certsign.ro']],
]);
