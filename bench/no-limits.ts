/** Environment variables that switch off every limit of the service: all load comes from one address. */
import { settingNames, settings, variableOf } from '../src/core/settings.ts';

/** Read from the list of settings, so that a new limit cannot slow a benchmark down unnoticed. */
export const noLimits: Readonly<Record<string, string>> = Object.fromEntries(
  settingNames
    .filter((name) => settings[name].description.includes('0: no limit'))
    .map((name) => [variableOf(name), '0']),
);
