/** What the log advises about old databases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUpdate } from '../../src/cli/databases.ts';
import { readSettings, type Settings } from '../../src/core/settings.ts';

const settingsOf = (environment: Readonly<Record<string, string>>) => readSettings({}, environment) as Settings;
const both = ['city', 'asn'] as const;
const place = { environment: {}, dataFolder: '/srv/default', program: 'seenby' };
const inDefault = { DATA_DIR: place.dataFolder };

test('the command for old databases updates those of the service, wherever they are', () => {
  assert.equal(describeUpdate(both, settingsOf(inDefault), place), 'seenby geo update');
  const own = settingsOf({ DATA_DIR: '/srv/my data' });
  assert.equal(describeUpdate(both, own, place), 'seenby geo update --data-dir "/srv/my data"');
  // A shell does not have systemd's variable.
  const environment = { STATE_DIRECTORY: '/var/lib/seenby' };
  const settings = settingsOf({ DATA_DIR: environment.STATE_DIRECTORY });
  const update = describeUpdate(both, settings, { ...place, environment, dataFolder: environment.STATE_DIRECTORY });
  assert.equal(update, 'seenby geo update --data-dir /var/lib/seenby');
});

test('an old database that a setting names is replaced, not downloaded', () => {
  const settings = settingsOf({ ...inDefault, GEOIP_CITY: '/etc/city.mmdb' });
  assert.equal(describeUpdate(['city'], settings, place), 'replace the database that GEOIP_CITY names');
  assert.equal(describeUpdate(['asn'], settings, place), 'seenby geo update');
  const update = describeUpdate(both, settings, place);
  assert.equal(update, 'replace the database that GEOIP_CITY names; seenby geo update');
});
