/** Compares the summary with that of another RDAP library. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { lookup } from 'rdapper';
import { domainSummary } from '../../../src/lookups/rdap/summary.ts';
import { fixture, root, serve } from './fixtures.ts';

const names = {
  'example.com': 'rdap.verisign.com/com/v1/',
  'example.org': 'rdap.publicinterestregistry.org/rdap/',
  'example.fr': 'rdap.nic.fr/',
  'example.co.uk': 'rdap.nominet.uk/uk/',
  'xn--bcher-kva.xn--vermgensberatung-pwb': 'rdap.identitydigital.services/rdap/',
  'example.cz': 'rdap.nic.cz/',
};

/** Differences of this summary: normalized names and addresses, RDAP's own status terms, a number for an id. */
const differing: Readonly<Record<string, object>> = {
  'example.fr': { nameservers: ['ns1.example.fr', 'ns2.example.fr'] },
  'xn--bcher-kva.xn--vermgensberatung-pwb': {
    email: 'info@namen.example',
    ianaId: 9992,
    status: ['active', 'addperiod', 'clienttransferprohibited'],
  },
};

const customBootstrapData = JSON.parse(readFileSync(`${root}data.iana.org/rdap/dns.json`, 'utf8'));
const customFetch = async (input: string | URL | Request) => {
  const result = serve({ url: input instanceof Request ? input.url : String(input) });
  assert.ok('status' in result);
  return new Response(Buffer.from(result.body), { status: result.status });
};

/** Seconds since the epoch, to compare two notations of the same time. */
const instant = (time: string | null | undefined) => (time ? Math.floor(Date.parse(time) / 1000) : null);

for (const [name, base] of Object.entries(names)) {
  test(`agrees with rdapper on ${name}`, async () => {
    const { ok, record, error } = await lookup(name, {
      rdapOnly: true,
      rdapFollowLinks: false,
      customFetch,
      customBootstrapData,
    });
    assert.ok(ok && record, error ?? name);
    const summary = domainSummary(fixture(`${base}domain/${name}`));
    const registrant = record.contacts?.find(({ type }) => type === 'registrant');
    assert.deepEqual(
      {
        name: summary.name,
        registered: instant(summary.registered),
        expires: instant(summary.expires),
        updated: instant(summary.updated),
        registrar: summary.registrar?.name ?? null,
        ianaId: summary.registrar?.ianaId ?? null,
        email: summary.registrar?.email ?? null,
        nameservers: [...summary.nameservers].sort(),
        status: summary.status.map((term) => term.replaceAll(' ', '').toLowerCase()).sort(),
        organization: summary.registrant?.organization ?? null,
        country: summary.registrant?.country ?? null,
      },
      {
        name: record.punycodeName?.toLowerCase() ?? record.domain,
        registered: instant(record.creationDate),
        expires: instant(record.expirationDate),
        updated: instant(record.updatedDate),
        registrar: record.registrar?.name ?? null,
        ianaId: record.registrar?.ianaId === undefined ? null : Number(record.registrar.ianaId),
        email: record.registrar?.email ?? null,
        nameservers: (record.nameservers ?? []).map(({ host }) => host).sort(),
        status: (record.statuses ?? []).map(({ status }) => status.replaceAll(' ', '').toLowerCase()).sort(),
        organization: registrant?.organization ?? null,
        country: registrant?.countryCode ?? null,
        ...differing[name],
      },
    );
  });
}
