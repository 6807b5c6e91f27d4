/** The operator of a bot by the domain of the page that its User-Agent links. */
import { hostsOfUsers, operatorOfDomain, operators } from '../data/agents.ts';
import { type Bot, kinds, tooling } from '../kinds.ts';

/**
 * Returns the bot with the operator whose domain the User-Agent links. If the name is that of another operator's bot, it says nothing about
 * the kind.
 */
export function operatedBy(bot: Bot, text: string): Bot {
  const start = text.indexOf('://');
  if (start < 0 || tooling.has(bot.kind)) return bot;
  const linked = text.slice(start).split('://').map(operatorOfLink);
  const operator = linked.find((name) => name !== undefined);
  if (operator === undefined || (bot.operator !== null && linked.includes(bot.operator))) return bot;
  return { ...bot, operator, kind: bot.operator === null ? bot.kind : usualKindOf(operator) };
}

/** `link` begins with the host. */
function operatorOfLink(link: string): string | undefined {
  const host = /^[\w.-]{4,253}/.exec(link)?.[0].toLowerCase() ?? '';
  if (hostsOfUsers.test(host)) return undefined;
  for (let domain = host; domain.includes('.'); domain = domain.slice(domain.indexOf('.') + 1)) {
    const operator = operatorOfDomain.get(domain);
    if (operator !== undefined) return operator;
  }
  return undefined;
}

function usualKindOf(operator: string): Bot['kind'] {
  const tokens = operators.find((row) => row.operator === operator)?.tokens ?? {};
  return kinds.find((kind): kind is Bot['kind'] => kind in tokens) ?? 'bot';
}
