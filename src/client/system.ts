/** The system that a User-Agent or a Client Hint names. */
import { hintedSystems, type System, systemTokens } from './data/systems.ts';

/** `text` is a User-Agent, or its first comment. */
export const systemOf = (text: string): System | null => systemTokens.find(([token]) => token.test(text))?.[1] ?? null;

/** `hint` is a value of `Sec-CH-UA-Platform` or of `navigator.userAgentData.platform`. */
export const systemOfHint = (hint: string): System | null => hintedSystems.get(hint.toLowerCase()) ?? null;
