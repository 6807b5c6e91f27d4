/** What registries and registrars write in place of a value that they withhold, and who does so. Last updated: 2026-11-28 */

/**
 * Each alone or with `fillers`, in lower case, without punctuation. Names of privacy services are not among them: such a company is the
 * registrant of record.
 */
export const placeholders: Readonly<Record<string, string>> = {
  // ICANN's Temporary Specification for gTLD Registration Data, appendix A §2.2: "REDACTED FOR PRIVACY".
  redacted: 'https://www.icann.org/resources/pages/gtld-registration-data-specs-en',
  'data redacted': 'https://developers.cloudflare.com/registrar/why-choose-cloudflare/whois-redaction/',
  'data protected': 'registrars of gTLDs',
  'gdpr masked': 'registrars of gTLDs',
  'gdpr redacted': 'registrars of gTLDs',
  'non public data': 'registrars of gTLDs',
  'not available from registry': 'registrars of gTLDs',
  'registration private': 'registrars of gTLDs',
  'statutory masking enabled': 'registrars of gTLDs',
  withheld: 'registrars of gTLDs',
  masked: 'registrars of gTLDs',
  'not disclosed': '.eu: https://eurid.eu/',
  'private person': '.ru, .su: https://tcinet.ru/; .fi: https://www.traficom.fi/',
  'natural person': 'registries of Europe',
  'ano nymous': '.fr: https://www.afnic.fr/',
  anonymous: 'registries of Europe',
  anonymized: 'registries of Europe',
  'hidden upon user request': '.tr: https://www.trabis.gov.tr/',
  hidden: 'registries of Europe',
  'not shown': '.be: https://www.dnsbelgium.be/',
  'not public': 'registries of Europe',
  'personal data can not be publicly disclosed': 'registries of Europe',
  private: 'registries of Asia',
  confidential: 'registries of Asia',
};

/** Words that follow a placeholder, or precede it. */
export const fillers: readonly string[] =
  'according and applicable by data domain due eu forprivacy for gdpr holder information is laws legal name of owner person policy privacy purposes reasons registrant registrar registry request subject the this to upon user'.split(
    ' ',
  );

/** What they write if there is no value: it withholds nothing. */
export const absences: readonly string[] = ['n a', 'na', 'none', 'not applicable', 'not available', 'unknown'];
