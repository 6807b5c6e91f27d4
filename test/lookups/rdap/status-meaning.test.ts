/** RDAP status values are explained, whatever a registry sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainStatus as explain } from '../../../src/lookups/rdap/status-meaning.ts';

const explainStatus = (status: string, all: readonly string[]) => explain(status, { status: all, nameservers: [] });

test('explains the values of RFC 8056, in any case', () => {
  for (const [status, expected] of [
    [
      'client transfer prohibited',
      'The registrar blocks a transfer to another registrar, usually to protect the name.',
    ],
    ['server delete prohibited', 'The registry blocks deletion, usually to protect the name.'],
    ['Update Prohibited', 'Registrar or registry blocks changes, usually to protect the name.'],
    ['pending transfer', 'The registry has received a request (transfer) that is not complete yet.'],
    ['ACTIVE', 'Registered, without restrictions.'],
    ['redemption period', 'Deleted, but the previous registrant can still restore it.'],
  ])
    assert.equal(explainStatus(status ?? '', []), expected);
});

test('explains pending delete by the values beside it: a name in its redemption period has both', () => {
  for (const other of ['redemption period', 'Pending Restore'])
    assert.equal(
      explainStatus('pending delete', ['pending delete', other]),
      'It will be deleted after the redemption period, unless it is restored.',
    );
  assert.match(
    explainStatus('pending delete', ['pending delete', 'client hold']) ?? '',
    /^It will be deleted in a few/,
  );
});

test('calls a name unrestricted only if no other value restricts it', () => {
  for (const other of ['client transfer prohibited', 'Client Hold', 'inactive', 'locked', 'pending delete'])
    assert.equal(explainStatus('active', ['active', other]), 'Registered.', other);
  for (const other of ['validated', 'add period', 'household'])
    assert.equal(explainStatus('active', ['active', other]), 'Registered, without restrictions.', other);
});

test('calls an object inactive that has name servers, or is none of DNS, not in use', () => {
  assert.match(explainStatus('inactive', ['inactive']) ?? '', /no name servers/);
  for (const nameservers of [{ nameservers: ['ns.example'] }, {}])
    assert.equal(explain('Inactive', { status: ['Inactive'], ...nameservers }), 'It is not in use.');
});

test('has no explanation for other values', () => {
  for (const status of ['', 'client lunch prohibited', 'pending', '__proto__', 'constructor', 'active '.repeat(10_000)])
    assert.equal(explainStatus(status, []), null, status.slice(0, 40));
});
