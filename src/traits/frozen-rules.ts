/** Rules about a version of the OS that browsers freeze in the User-Agent. */
import { frozenOs } from '../client/user-agent.ts';
import type { Rules } from './rule.ts';

/** Values of hints that may stand in a sentence. */
const plainVersion = /^[\w .]{1,40}$/;

export const frozenRules: Rules = {
  'os-version-frozen': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'The User-Agent states {stated}, which stands for {meaning}{hint}.',
    reason:
      'Browsers freeze these values, so that they do not identify users; the true version is in Client Hints, if the browser sends them.',
    check({ headers }) {
      const frozen = frozenOs(headers);
      if (frozen === null) return null;
      const { stated, meaning, hinted } = frozen;
      const hint = hinted !== null && plainVersion.test(hinted) ? `; Client Hints state ${hinted}` : '';
      return {
        headers: ['user-agent', ...(hint === '' ? [] : ['sec-ch-ua-platform-version'])],
        values: { stated, meaning, hint },
      };
    },
  },
};
