/** The operator of a bot by the domain of the page that its User-Agent links. */
import { hostsOfUsers, operatorOfDomain, operators } from '../data/agents.ts';
import { type Bot, kinds, tooling } from '../kinds.ts';

/**
 * Returns the bot with the operator whose domain the User-Agent links. If the name is that of another operator's bot, it says nothing about
 * the kind.
 */
export function operatedBy(bot: Bot, text: string): Bot {
  if (tooling.has(bot.kind)) return bot;
  let linked: string | null = null;
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 1)) {
    const operator = operatorOfLink(text, at + 3);
    if (operator !== null && operator === bot.operator) return bot;
    linked ??= operator;
  }
  if (linked === null) return bot;
  return { ...bot, operator: linked, kind: bot.operator === null ? bot.kind : usualKindOf(linked) };
}

/** The longest name in DNS. */
const maxHost = 253;

/** `at` is the place of the host. */
function operatorOfLink(text: string, at: number): string | null {
  const host = /^[\w.-]*/.exec(text.slice(at, at + maxHost))?.[0].toLowerCase() ?? '';
  for (let domain = host; domain.includes('.'); domain = domain.slice(domain.indexOf('.') + 1)) {
    const operator = operatorOfDomain.get(domain);
    if (operator !== undefined) return hostsOfUsers.test(host) ? null : operator;
  }
  return null;
}

function usualKindOf(operator: string): Bot['kind'] {
  const tokens = operators.find((row) => row.operator === operator)?.tokens ?? {};
  return kinds.find((kind): kind is Bot['kind'] => kind in tokens) ?? 'bot';
}
